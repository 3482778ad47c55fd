ALTER TABLE "users" ADD COLUMN "protected_since" timestamp (3) with time zone;--> statement-breakpoint
UPDATE "users" SET "protected_since" = f."since" FROM (
	SELECT "user_id", min("created_at") AS "since" FROM (
		SELECT "user_id", "created_at" FROM "totp_factors"
		UNION ALL SELECT "user_id", "created_at" FROM "passkeys"
		UNION ALL SELECT r."user_id", r."created_at" FROM "recovery_codes" r
			WHERE EXISTS (SELECT FROM "totp_factors" t WHERE t."user_id" = r."user_id") OR EXISTS (SELECT FROM "passkeys" p WHERE p."user_id" = r."user_id")
	) made GROUP BY "user_id"
) f WHERE f."user_id" = "users"."id";
