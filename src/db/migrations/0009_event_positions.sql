CREATE SEQUENCE "public"."event_positions" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
-- The default comes by itself: a new column with one that changes would write every partition anew.
ALTER TABLE "events" ADD COLUMN "position" bigint;--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "position" SET DEFAULT nextval('event_positions');
