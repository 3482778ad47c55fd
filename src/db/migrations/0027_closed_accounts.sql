ALTER TABLE "clients" ADD COLUMN "stopped_with_owner" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "erase_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "erased_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_closed_before_erased" CHECK (("users"."erase_at" is null and "users"."erased_at" is null) or "users"."disabled_at" is not null) NOT VALID;
