CREATE TABLE "mail_links" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"address" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mail_links_purpose_known" CHECK ("mail_links"."purpose" in ('verify','reset')),
	CONSTRAINT "mail_links_hash_length" CHECK (length("mail_links"."hash") = 32)
);
--> statement-breakpoint
DROP INDEX "users_email";--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "email" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_links" ADD CONSTRAINT "mail_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_links_user" ON "mail_links" USING btree ("user_id","purpose");--> statement-breakpoint
CREATE INDEX "mail_links_address" ON "mail_links" USING btree (lower("address"));--> statement-breakpoint
CREATE INDEX "mail_links_expiry" ON "mail_links" USING btree ("expires_at");
