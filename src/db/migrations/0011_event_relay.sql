CREATE TABLE "event_relay" (
	"id" smallint PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"moved_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"holder" text,
	"leased_until" timestamp (3) with time zone,
	CONSTRAINT "event_relay_one_row" CHECK ("event_relay"."id" = 1)
);
