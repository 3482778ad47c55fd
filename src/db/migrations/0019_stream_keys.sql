CREATE TABLE "ingest_connections" (
	"channel_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"livestream_id" text COLLATE "C",
	"connection" text,
	"connected_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"frame_due_at" timestamp (3) with time zone NOT NULL,
	"bitrate_kbps" integer,
	"measured_at" timestamp (3) with time zone,
	CONSTRAINT "ingest_connections_connection_length" CHECK (char_length("ingest_connections"."connection") between 1 and 200)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "stream_keys" (
	"channel_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"last4" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"rolled_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "stream_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "stream_keys_hash_length" CHECK (length("stream_keys"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "thumbnails" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"livestream_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "ingest_connections" ADD CONSTRAINT "ingest_connections_channel_id_users_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stream_keys" ADD CONSTRAINT "stream_keys_channel_id_users_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "thumbnails_livestream" ON "thumbnails" USING btree ("livestream_id");--> statement-breakpoint
CREATE INDEX "thumbnails_expires" ON "thumbnails" USING btree ("expires_at") WHERE "thumbnails"."expires_at" is not null;