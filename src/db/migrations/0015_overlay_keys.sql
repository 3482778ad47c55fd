CREATE TABLE "overlay_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"channel_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"last4" text NOT NULL,
	"event_types" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"rolled_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "overlay_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "overlay_keys_name_length" CHECK (char_length("overlay_keys"."name") between 1 and 100),
	CONSTRAINT "overlay_keys_hash_length" CHECK (length("overlay_keys"."hash") = 32),
	CONSTRAINT "overlay_keys_event_types_some" CHECK (cardinality("overlay_keys"."event_types") > 0)
);
--> statement-breakpoint
ALTER TABLE "overlay_keys" ADD CONSTRAINT "overlay_keys_channel_id_users_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "overlay_keys_channel" ON "overlay_keys" USING btree ("channel_id","id");--> statement-breakpoint
-- Announces overlay keys, too: by the digest of the value that does not work any more.
CREATE OR REPLACE FUNCTION announce_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME IN ('access_tokens', 'overlay_keys') THEN
    PERFORM pg_notify('credential_changes', encode(old.hash, 'base64'));
  ELSIF TG_TABLE_NAME = 'api_keys' THEN
    IF TG_OP = 'UPDATE' OR coalesce(least(old.revoked_at, old.expires_at) > statement_timestamp(), true) THEN
      PERFORM pg_notify('credential_changes', encode(old.hash, 'base64'));
    END IF;
  ELSIF TG_TABLE_NAME = 'grants' THEN
    IF TG_OP = 'UPDATE' OR least(old.revoked_at, old.expires_at) > statement_timestamp() THEN
      PERFORM pg_notify('credential_changes', old.id);
    END IF;
  ELSIF TG_TABLE_NAME = 'login_sessions' THEN
    IF least(old.expires_at, old.last_seen_at + interval '12 hours') > statement_timestamp() THEN
      PERFORM pg_notify('credential_changes', encode(old.secret_hash, 'base64'));
    END IF;
  ELSE
    PERFORM pg_notify('credential_changes', old.id);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER overlay_keys_change AFTER UPDATE ON overlay_keys FOR EACH ROW
  WHEN ((old.hash, old.event_types) IS DISTINCT FROM (new.hash, new.event_types))
  EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER overlay_keys_delete AFTER DELETE ON overlay_keys FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
