CREATE TABLE "webhook_waits" (
	"slot" timestamp (3) with time zone NOT NULL,
	"bound_ms" integer NOT NULL,
	"n" integer NOT NULL,
	CONSTRAINT "webhook_waits_pkey" PRIMARY KEY("slot","bound_ms")
);
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD COLUMN "request" text;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD COLUMN "response_headers" text;--> statement-breakpoint
ALTER TABLE "webhook_subscriptions" ADD COLUMN "rested_at" timestamp (3) with time zone;