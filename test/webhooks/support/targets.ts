export type Verdict = 'block' | 'allow'
/** What must be decided when private targets are forbidden, and when they are allowed. */
type Verdicts = readonly [forbidden: Verdict, allowed: Verdict]

const never: Verdicts = ['block', 'block']
const inside: Verdicts = ['block', 'allow']
const always: Verdicts = ['allow', 'allow']

type Row = [target: string, ...verdicts: Verdicts]
const rows = (verdicts: Verdicts, ...targets: string[]): Row[] => targets.map((target) => [target, ...verdicts])

/** From the registries of special-purpose addresses, and the metadata services of clouds. */
export const addresses: Row[] = [
  ...rows(
    inside,
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.5',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.1',
    '192.168.1.1',
  ),
  ...rows(inside, '::1', 'fc00::1', 'fd12:3456:789a::1'),
  // this host, link-local, metadata, carrier-grade NAT, protocol assignments
  ...rows(
    never,
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.170.2',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
  ),
  // an internal service on a public address, benchmarking, documentation, relays, AS112, multicast, reserved, broadcast
  ...rows(
    never,
    '168.63.129.16',
    '198.18.0.1',
    '198.19.255.255',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '192.88.99.1',
  ),
  ...rows(never, '192.31.196.1', '192.52.193.1', '192.175.48.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'),
  // unspecified, metadata among unique-local, link-local also with a zone, site-local, multicast
  ...rows(never, '::', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1', 'fe80::1%lo', 'fec0::1', 'ff02::1'),
  // IPv4 in disguise: mapped, compatible, translated, NAT64, 6to4, Teredo
  ...rows(
    never,
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '::7f00:1',
    '::a9fe:a9fe',
  ),
  ...rows(never, '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1', '2002:7f00:1::'),
  ...rows(never, '2002:a9fe:a9fe::', '2001:0:7f00:1::'),
  // documentation, discard, segment routing, not allocated
  ...rows(never, '2001:db8::1', '3fff::1', '100::1', '5f00::1', '4000::1', '1fff::1'),
  ...rows(
    always,
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.0.1.1',
    '223.255.255.255',
  ),
  ...rows(always, '2606:4700::1111', '2a00:1450:4001::200e', '2001:200::1'),
]

export const urls: Row[] = [
  ...rows(
    always,
    'https://hooks.customer.com/x',
    'https://hooks.customer.com:8443/x?a=1&b=%20',
    'https://bücher.customer.com/',
  ),
  ...rows(
    always,
    'https://127.0.0.1.customer.com/',
    'https://hooks.customer.com./',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ),
  ...rows(
    inside,
    'http://127.0.0.1:4000/hook',
    'http://localhost:4000/hook',
    'http://receiver:4000/hook',
    'http://[::1]:4000/',
  ),
  ...rows(inside, 'http://hooks.customer.com/', 'https://hooks.customer.com:6379/', 'https://hooks.customer.com:80/'),
  // the parser makes 127.0.0.1 of all these
  ...rows(
    inside,
    'https://2130706433/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://127.1/',
    'https://0x7f.1/',
  ),
  ...rows(inside, 'https://①②⑦.⓪.⓪.①/', 'https://%31%32%37.0.0.1/', 'https://127。0。0。1/', 'https://127.0.0.1./'),
  ...rows(
    inside,
    'https://localhost/',
    'https://LOCALHOST./',
    'https://foo.localhost/',
    'https://redis/',
    'https://printer.local/',
  ),
  ...rows(
    inside,
    'https://kubernetes.default.svc.cluster.local/',
    'https://a.home.arpa/',
    'https://a.test/',
    'https://a.example/',
  ),
  ...rows(
    never,
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
  ),
  ...rows(
    never,
    'https://[2002:7f00:1::]/',
    'https://[fe80::1%25lo]/',
    'https://[::]/',
    'https://0/',
    'http://[fd00:ec2::254]/',
  ),
  ...rows(
    never,
    'http://169.254.169.254/latest/meta-data/',
    'https://metadata.google.internal/',
    'https://a.onion/',
    'https://a.invalid/',
  ),
  ...rows(
    never,
    'https://user:pw@hooks.customer.com/',
    'https://user@hooks.customer.com/',
    'https://@hooks.customer.com/',
  ),
  ...rows(
    never,
    'https://hooks.customer.com@127.0.0.1/',
    'https://127.0.0.1#@hooks.customer.com/',
    'https://hooks.customer.com/#a',
  ),
  ...rows(
    never,
    'gopher://hooks.customer.com/',
    'ftp://hooks.customer.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:,x',
  ),
  ...rows(
    never,
    'https:\\\\127.0.0.1/',
    'https://hooks.customer.com\t.evil/',
    ' https://hooks.customer.com/',
    'https://a b/',
  ),
  ...rows(
    never,
    'https://hooks.customer.com/\r\nx: y',
    'https://hooks.customer.com/\u0000',
    'https://hooks.customer.com/\u007f',
  ),
  ...rows(
    never,
    '//hooks.customer.com/',
    '/hook',
    'https://',
    '',
    'hooks.customer.com',
    `https://hooks.customer.com/${'a'.repeat(3000)}`,
  ),
]
