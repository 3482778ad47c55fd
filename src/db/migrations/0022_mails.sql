CREATE TABLE "mails" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"user_id" text COLLATE "C",
	"address" text NOT NULL,
	"mailbox" text NOT NULL,
	"ciphertext" "bytea",
	"key_id" text,
	"queued_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" uuid,
	"tries" smallint DEFAULT 0 NOT NULL,
	"useless_at" timestamp (3) with time zone,
	"outcome" text,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "mails_outcome_known" CHECK ("mails"."outcome" in ('sent','given_up')),
	CONSTRAINT "mails_settled" CHECK (("mails"."outcome" is null) = ("mails"."due_at" is not null)),
	CONSTRAINT "mails_sealed" CHECK (("mails"."due_at" is not null) = ("mails"."ciphertext" is not null))
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email_verified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "muted_mail" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE "mails"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "mails_mailbox" ON "mails" USING btree ("mailbox","kind","queued_at");--> statement-breakpoint
CREATE INDEX "mails_user" ON "mails" USING btree ("user_id","kind","queued_at");--> statement-breakpoint
CREATE INDEX "mails_expiry" ON "mails" USING btree ("expires_at") WHERE "mails"."expires_at" is not null;