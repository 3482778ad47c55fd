/**
 * What a hash of argon2id (the package's default) costs: about 9 ms and 19 MiB, the least that OWASP's Password Storage Cheat
 * Sheet names. A stored hash of another cost is renewed at the next login.
 */
export const PASSWORD_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
