CREATE TABLE "device_codes" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"user_code_hash" "bytea" NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"scopes" text[] NOT NULL,
	"resource" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"user_id" text COLLATE "C",
	"is_allowed" boolean,
	"authenticated_at" timestamp (3) with time zone,
	"amr" text[],
	"consumed_at" timestamp (3) with time zone,
	CONSTRAINT "device_codes_user_code_unique" UNIQUE("user_code_hash"),
	CONSTRAINT "device_codes_hash_length" CHECK (length("device_codes"."hash") = 32 and length("device_codes"."user_code_hash") = 32),
	CONSTRAINT "device_codes_answered" CHECK (("device_codes"."user_id" is null) = ("device_codes"."is_allowed" is null))
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_ciphertext" "bytea" NOT NULL,
	"sealing_key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"retired_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "clients" DROP CONSTRAINT "clients_grant_types_known";--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "metadata_url" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "access_tokens" ADD COLUMN "resource" text;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD COLUMN "nonce" text;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD COLUMN "authenticated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD COLUMN "amr" text[];--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD COLUMN "resource" text;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "authenticated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "amr" text[];--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "resource" text;--> statement-breakpoint
ALTER TABLE "device_codes" ADD CONSTRAINT "device_codes_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_codes" ADD CONSTRAINT "device_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_codes_expiry" ON "device_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "device_codes_client" ON "device_codes" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "device_codes_user" ON "device_codes" USING btree ("user_id") WHERE "device_codes"."user_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_current" ON "signing_keys" USING btree (("retired_at" is null)) WHERE "signing_keys"."retired_at" is null;--> statement-breakpoint
ALTER TABLE "clients" ADD CONSTRAINT "clients_metadata_url_unique" UNIQUE("metadata_url");--> statement-breakpoint
ALTER TABLE "clients" ADD CONSTRAINT "clients_grant_types_known" CHECK (cardinality("clients"."grant_types") > 0 and "clients"."grant_types" <@ array['authorization_code','refresh_token','client_credentials','urn:ietf:params:oauth:grant-type:device_code']);