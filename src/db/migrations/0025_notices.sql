CREATE TABLE "key_notices" (
	"key_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"days" smallint NOT NULL,
	CONSTRAINT "key_notices_days_known" CHECK ("key_notices"."days" in (14, 3))
);
--> statement-breakpoint
CREATE TABLE "webhook_notices" (
	"client_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"told_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "key_notices" ADD CONSTRAINT "key_notices_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_notices" ADD CONSTRAINT "webhook_notices_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;