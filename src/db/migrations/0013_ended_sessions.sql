-- The end of a login session is announced as well, by the digest of its secret, so that its streams end with it.
CREATE OR REPLACE FUNCTION announce_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'access_tokens' THEN
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
CREATE TRIGGER login_sessions_delete AFTER DELETE ON login_sessions FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
