-- Announces what has ended: by its identifier, or the digest of a token or key. Processes of the release before forget everything
-- at any announcement. What was dead before it is deleted is not announced: it ended long ago.
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
  ELSE
    PERFORM pg_notify('credential_changes', old.id);
  END IF;
  RETURN NULL;
END $$;
