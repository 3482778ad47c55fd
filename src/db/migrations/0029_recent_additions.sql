ALTER TABLE "client_redirect_uris" ADD COLUMN "added_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "jwks_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "application_members" ADD COLUMN "role_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhook_subscriptions" ADD COLUMN "url_changed_at" timestamp (3) with time zone;