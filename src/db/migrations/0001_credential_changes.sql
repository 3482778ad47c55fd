-- Whatever makes a credential worth less is announced, by whomever it is done: processes that remember credentials forget them.
CREATE FUNCTION announce_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credential_changes', '');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER access_tokens_change AFTER UPDATE ON access_tokens FOR EACH ROW
  WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER api_keys_change AFTER UPDATE ON api_keys FOR EACH ROW
  WHEN ((old.revoked_at, old.expires_at, old.scopes) IS DISTINCT FROM (new.revoked_at, new.expires_at, new.scopes))
  EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER api_keys_delete AFTER DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER grants_change AFTER UPDATE ON grants FOR EACH ROW
  WHEN (old.revoked_at IS DISTINCT FROM new.revoked_at) EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER grants_delete AFTER DELETE ON grants FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER clients_change AFTER UPDATE ON clients FOR EACH ROW
  WHEN ((old.disabled_at, old.scopes) IS DISTINCT FROM (new.disabled_at, new.scopes))
  EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER clients_delete AFTER DELETE ON clients FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER users_change AFTER UPDATE ON users FOR EACH ROW
  WHEN ((old.disabled_at, old.username) IS DISTINCT FROM (new.disabled_at, new.username))
  EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER users_delete AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
