-- Unlogged: written at every opening and closing of a stream, and what a crash takes from them the processes write again.
CREATE UNLOGGED TABLE "stream_holders" (
	"holder" text COLLATE "C" PRIMARY KEY NOT NULL,
	"counts" jsonb NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE UNLOGGED TABLE "stream_processes" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
) WITH (fillfactor = 50);
