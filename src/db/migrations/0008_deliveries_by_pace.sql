-- webhook_deliveries_turn is one of the large indexes (src/db/large-indexes.ts); webhook_deliveries_fair is what the release before claims by
ALTER TABLE "webhook_deliveries" ADD COLUMN "pace" smallint DEFAULT 0 NOT NULL;
