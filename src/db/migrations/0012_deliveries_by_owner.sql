-- webhook_deliveries_claim is one of the large indexes (src/db/large-indexes.ts), as the one was that it takes the place of
DROP INDEX IF EXISTS "webhook_deliveries_turn";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "owner_id" text COLLATE "C" DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_fanouts_channel" ON "webhook_fanouts" USING btree ("channel_id","event_id");
