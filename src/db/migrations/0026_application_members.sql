CREATE TABLE "application_invitations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"role" text NOT NULL,
	"address" text,
	"user_id" text COLLATE "C",
	"invited_by" text COLLATE "C",
	"hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "application_invitations_hash_unique" UNIQUE("hash"),
	CONSTRAINT "application_invitations_role_known" CHECK ("application_invitations"."role" in ('viewer','developer','owner')),
	CONSTRAINT "application_invitations_to_one" CHECK (("application_invitations"."address" is null) <> ("application_invitations"."user_id" is null)),
	CONSTRAINT "application_invitations_hash_length" CHECK (length("application_invitations"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "application_members" (
	"client_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"role" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "application_members_pkey" PRIMARY KEY("client_id","user_id"),
	CONSTRAINT "application_members_role_known" CHECK ("application_members"."role" in ('viewer','developer'))
);
--> statement-breakpoint
ALTER TABLE "application_invitations" ADD CONSTRAINT "application_invitations_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "application_invitations" ADD CONSTRAINT "application_invitations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "application_invitations" ADD CONSTRAINT "application_invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "application_members" ADD CONSTRAINT "application_members_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "application_members" ADD CONSTRAINT "application_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "application_invitations_client" ON "application_invitations" USING btree ("client_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "application_invitations_address" ON "application_invitations" USING btree ("client_id",lower("address"));--> statement-breakpoint
CREATE UNIQUE INDEX "application_invitations_transfer" ON "application_invitations" USING btree ("client_id") WHERE "application_invitations"."role" = 'owner';--> statement-breakpoint
CREATE INDEX "application_invitations_user" ON "application_invitations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "application_invitations_invited_by" ON "application_invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "application_invitations_expiry" ON "application_invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "application_members_user" ON "application_members" USING btree ("user_id","client_id");--> statement-breakpoint
-- Announces whose membership has ended or changed, so that what they follow ends; and that an application has another owner, for whom its
-- streams count.
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
  ELSIF TG_TABLE_NAME = 'application_members' THEN
    PERFORM pg_notify('credential_changes', old.user_id);
  ELSE
    PERFORM pg_notify('credential_changes', old.id);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER application_members_change AFTER UPDATE ON application_members FOR EACH ROW
  WHEN (old.role IS DISTINCT FROM new.role) EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE TRIGGER application_members_delete AFTER DELETE ON application_members FOR EACH ROW EXECUTE FUNCTION announce_credential_change();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER clients_change AFTER UPDATE ON clients FOR EACH ROW
  WHEN ((old.disabled_at, old.scopes, old.owner_id) IS DISTINCT FROM (new.disabled_at, new.scopes, new.owner_id))
  EXECUTE FUNCTION announce_credential_change();
