-- Written by drizzle-kit. By hand: PARTITION BY (the partitions themselves are made by src/db/partitions.ts) and WITH (…),
-- which the generator does not know and does not mind.
CREATE TABLE "api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"last4" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_by" text COLLATE "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"replaced_by" text COLLATE "C",
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "api_keys_name_length" CHECK (char_length("api_keys"."name") between 1 and 100),
	CONSTRAINT "api_keys_hash_length" CHECK (length("api_keys"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "client_redirect_uris" (
	"client_id" text COLLATE "C" NOT NULL,
	"uri" text COLLATE "C" NOT NULL,
	CONSTRAINT "client_redirect_uris_pkey" PRIMARY KEY("client_id","uri"),
	CONSTRAINT "client_redirect_uris_length" CHECK (char_length("client_redirect_uris"."uri") <= 2048)
);
--> statement-breakpoint
CREATE TABLE "client_secrets" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"hash" "bytea" NOT NULL,
	"last4" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "client_secrets_hash_unique" UNIQUE("hash"),
	CONSTRAINT "client_secrets_hash_length" CHECK (length("client_secrets"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "clients" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"owner_id" text COLLATE "C",
	"name" text NOT NULL,
	"website_url" text,
	"confidential" boolean NOT NULL,
	"grant_types" text[] NOT NULL,
	"scopes" text[] NOT NULL,
	"auth_method" text NOT NULL,
	"jwks" jsonb,
	"dpop_bound" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	CONSTRAINT "clients_name_length" CHECK (char_length("clients"."name") between 1 and 100),
	CONSTRAINT "clients_grant_types_known" CHECK (cardinality("clients"."grant_types") > 0 and "clients"."grant_types" <@ array['authorization_code','refresh_token','client_credentials']),
	CONSTRAINT "clients_auth_method_known" CHECK ("clients"."auth_method" in ('secret','private_key_jwt','none')),
	CONSTRAINT "clients_confidential_authenticates" CHECK ("clients"."confidential" = ("clients"."auth_method" <> 'none')),
	CONSTRAINT "clients_credentials_confidential" CHECK ("clients"."confidential" or not ('client_credentials' = any ("clients"."grant_types"))),
	CONSTRAINT "clients_jwks_with_method" CHECK (("clients"."auth_method" = 'private_key_jwt') = ("clients"."jwks" is not null))
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text COLLATE "C",
	"action" text NOT NULL,
	"user_id" text COLLATE "C",
	"client_id" text COLLATE "C",
	"target_id" text COLLATE "C",
	"request_id" text,
	"ip" "inet",
	"user_agent" text,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "audit_log_actor_type_known" CHECK ("audit_log"."actor_type" in ('user','client','api_key','operator','system'))
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "categories" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"label" text COLLATE "C" NOT NULL,
	"description" text,
	"image_url" text,
	"featured" boolean DEFAULT false NOT NULL,
	"sort_order" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "categories_slug_unique" UNIQUE("slug"),
	CONSTRAINT "categories_slug_shape" CHECK ("categories"."slug" ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
	CONSTRAINT "categories_description_not_empty" CHECK ("categories"."description" <> ''),
	CONSTRAINT "categories_image_url_not_empty" CHECK ("categories"."image_url" <> '')
);
--> statement-breakpoint
CREATE TABLE "chat_messages" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"channel_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"user_name" text NOT NULL,
	"type" text DEFAULT 'text' NOT NULL,
	"content" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chat_messages_type_known" CHECK ("chat_messages"."type" in ('text','system','announcement')),
	CONSTRAINT "chat_messages_content_length" CHECK (char_length("chat_messages"."content") between 1 and 500)
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"delivery_id" text COLLATE "C" NOT NULL,
	"n" smallint NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" smallint,
	"error_class" text,
	"response" text,
	CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY("delivery_id","n"),
	CONSTRAINT "webhook_attempts_response_size" CHECK (octet_length("webhook_attempts"."response") <= 4096),
	CONSTRAINT "webhook_attempts_status_or_error" CHECK (("webhook_attempts"."status" is null) <> ("webhook_attempts"."error_class" is null))
) PARTITION BY RANGE ("delivery_id");
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"subscription_id" text COLLATE "C" NOT NULL,
	"lane" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"lease" uuid,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"claims" smallint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
) WITH (
	fillfactor = 80,
	autovacuum_vacuum_scale_factor = 0.01,
	autovacuum_vacuum_threshold = 1000,
	autovacuum_vacuum_cost_delay = 0,
	autovacuum_analyze_scale_factor = 0.05
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries_done" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"subscription_id" text COLLATE "C" NOT NULL,
	"outcome" text NOT NULL,
	"reason" text,
	"attempts" smallint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_deliveries_done_outcome_known" CHECK ("webhook_deliveries_done"."outcome" in ('delivered','failed','cancelled','held','expired'))
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "webhook_fanouts" (
	"event_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"channel_id" text COLLATE "C" NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"after_id" text COLLATE "C" DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_sequences" (
	"channel_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"channel_id" text COLLATE "C" NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"payload" text NOT NULL,
	CONSTRAINT "events_payload_size" CHECK (octet_length("events"."payload") <= 65536)
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"owner" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"answer" "bytea",
	"key_id" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("owner","key"),
	CONSTRAINT "idempotency_keys_key_length" CHECK (char_length("idempotency_keys"."key") between 1 and 255),
	CONSTRAINT "idempotency_keys_fingerprint_length" CHECK (length("idempotency_keys"."fingerprint") = 32)
);
--> statement-breakpoint
CREATE TABLE "livestreams" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"channel_id" text COLLATE "C",
	"title" text,
	"category_slug" text COLLATE "C",
	"thumbnail_url" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "livestreams_title_not_empty" CHECK ("livestreams"."title" <> ''),
	CONSTRAINT "livestreams_thumbnail_url_not_empty" CHECK ("livestreams"."thumbnail_url" <> ''),
	CONSTRAINT "livestreams_ended_after_start" CHECK ("livestreams"."ended_at" >= "livestreams"."started_at")
);
--> statement-breakpoint
CREATE TABLE "bans" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"channel_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bans_channel_user_unique" UNIQUE("channel_id","user_id"),
	CONSTRAINT "bans_not_self" CHECK ("bans"."channel_id" <> "bans"."user_id")
);
--> statement-breakpoint
CREATE TABLE "access_tokens" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"grant_id" text COLLATE "C",
	"scopes" text[] NOT NULL,
	"dpop_jkt" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "access_tokens_hash_length" CHECK (length("access_tokens"."hash") = 32),
	CONSTRAINT "access_tokens_user_by_grant" CHECK (("access_tokens"."user_id" is null) = ("access_tokens"."grant_id" is null))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "authorization_codes" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"redirect_uri" text NOT NULL,
	"scopes" text[] NOT NULL,
	"code_challenge" text NOT NULL,
	"dpop_jkt" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"consumed_at" timestamp (3) with time zone,
	"grant_id" text COLLATE "C",
	CONSTRAINT "authorization_codes_hash_length" CHECK (length("authorization_codes"."hash") = 32),
	CONSTRAINT "authorization_codes_challenge_length" CHECK (char_length("authorization_codes"."code_challenge") = 43)
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"revoke_reason" text,
	CONSTRAINT "grants_revoke_reason_known" CHECK ("grants"."revoke_reason" in ('user','client','code_reuse','refresh_reuse','password_changed')),
	CONSTRAINT "grants_revoked_for_reason" CHECK (("grants"."revoked_at" is null) = ("grants"."revoke_reason" is null))
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"grant_id" text COLLATE "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"consumed_at" timestamp (3) with time zone,
	"successor_hash" "bytea",
	CONSTRAINT "refresh_tokens_hash_length" CHECK (length("refresh_tokens"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "used_assertions" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "used_assertions_hash_length" CHECK (length("used_assertions"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "login_sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip" "inet",
	"user_agent" text,
	CONSTRAINT "login_sessions_secret_unique" UNIQUE("secret_hash"),
	CONSTRAINT "login_sessions_secret_length" CHECK (length("login_sessions"."secret_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"username" text COLLATE "C" NOT NULL,
	"email" text NOT NULL,
	"bio" text,
	"image_url" text,
	"password_hash" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	CONSTRAINT "users_username_unique" UNIQUE("username"),
	CONSTRAINT "users_username_shape" CHECK ("users"."username" ~ '^[a-z0-9_]{3,25}$'),
	CONSTRAINT "users_bio_not_empty" CHECK ("users"."bio" <> ''),
	CONSTRAINT "users_image_url_not_empty" CHECK ("users"."image_url" <> '')
);
--> statement-breakpoint
CREATE TABLE "client_usage" (
	"client_id" text COLLATE "C" NOT NULL,
	"hour" timestamp (0) with time zone NOT NULL,
	"operation" text COLLATE "C" NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"errors" bigint DEFAULT 0 NOT NULL,
	"limited" bigint DEFAULT 0 NOT NULL,
	"duration_ms" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "client_usage_pkey" PRIMARY KEY("client_id","hour","operation")
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"subscription_id" text COLLATE "C" NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_subscription_types" (
	"type" text COLLATE "C" NOT NULL,
	"channel_id" text COLLATE "C" NOT NULL,
	"subscription_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "webhook_subscription_types_pkey" PRIMARY KEY("type","channel_id","subscription_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_subscriptions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"url" text NOT NULL,
	"event_types" text[] NOT NULL,
	"description" text,
	"status" text DEFAULT 'enabled' NOT NULL,
	"disabled_reason" text,
	"disabled_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"send_window" smallint DEFAULT 8 NOT NULL,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"first_failure_at" timestamp (3) with time zone,
	"failed_attempts" integer DEFAULT 0 NOT NULL,
	"last_success_at" timestamp (3) with time zone,
	"open_until" timestamp with time zone,
	"open_for_s" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "webhook_subscriptions_url_length" CHECK (char_length("webhook_subscriptions"."url") between 1 and 2048),
	CONSTRAINT "webhook_subscriptions_types_not_empty" CHECK (cardinality("webhook_subscriptions"."event_types") > 0),
	CONSTRAINT "webhook_subscriptions_description_length" CHECK (char_length("webhook_subscriptions"."description") between 1 and 500),
	CONSTRAINT "webhook_subscriptions_status_known" CHECK ("webhook_subscriptions"."status" in ('enabled','disabled')),
	CONSTRAINT "webhook_subscriptions_reason_known" CHECK ("webhook_subscriptions"."disabled_reason" in ('gone','failing','grant_lost','owner')),
	CONSTRAINT "webhook_subscriptions_window_range" CHECK ("webhook_subscriptions"."send_window" between 1 and 32),
	CONSTRAINT "webhook_subscriptions_disabled_for_reason" CHECK (("webhook_subscriptions"."status" = 'disabled') = ("webhook_subscriptions"."disabled_reason" is not null and "webhook_subscriptions"."disabled_at" is not null))
) WITH (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_replaced_by_api_keys_id_fk" FOREIGN KEY ("replaced_by") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_redirect_uris" ADD CONSTRAINT "client_redirect_uris_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "clients" ADD CONSTRAINT "clients_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sequences" ADD CONSTRAINT "channel_sequences_channel_id_users_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "livestreams" ADD CONSTRAINT "livestreams_channel_id_users_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "livestreams" ADD CONSTRAINT "livestreams_category_exists" FOREIGN KEY ("category_slug") REFERENCES "public"."categories"("slug") ON DELETE set null ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "bans" ADD CONSTRAINT "bans_channel_id_users_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bans" ADD CONSTRAINT "bans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD CONSTRAINT "login_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_usage" ADD CONSTRAINT "client_usage_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_subscription_exists" FOREIGN KEY ("subscription_id") REFERENCES "public"."webhook_subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_subscription_types" ADD CONSTRAINT "webhook_subscription_types_subscription_exists" FOREIGN KEY ("subscription_id") REFERENCES "public"."webhook_subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_client" ON "api_keys" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "client_secrets_client" ON "client_secrets" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "clients_owner" ON "clients" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_client" ON "audit_log" USING btree ("client_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "categories_page" ON "categories" USING btree ("sort_order","label","id");--> statement-breakpoint
CREATE INDEX "chat_messages_page" ON "chat_messages" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_fair" ON "webhook_deliveries" USING btree ("lane","subscription_id","due_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_leased" ON "webhook_deliveries" USING btree ("subscription_id") WHERE "webhook_deliveries"."lease" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_done_page" ON "webhook_deliveries_done" USING btree ("subscription_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_done_failed" ON "webhook_deliveries_done" USING btree ("subscription_id","id") WHERE "webhook_deliveries_done"."outcome" = 'failed';--> statement-breakpoint
CREATE INDEX "events_channel" ON "events" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "livestreams_one_live" ON "livestreams" USING btree ("channel_id") WHERE "livestreams"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "livestreams_page" ON "livestreams" USING btree ("updated_at","id") WHERE "livestreams"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "livestreams_channel" ON "livestreams" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "livestreams_category" ON "livestreams" USING btree ("category_slug");--> statement-breakpoint
CREATE INDEX "bans_page" ON "bans" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "bans_user" ON "bans" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_tokens_grant" ON "access_tokens" USING btree ("grant_id") WHERE "access_tokens"."grant_id" is not null;--> statement-breakpoint
CREATE INDEX "access_tokens_expiry" ON "access_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "authorization_codes_expiry" ON "authorization_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "grants_user" ON "grants" USING btree ("user_id","id") WHERE "grants"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "grants_client" ON "grants" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_grant" ON "refresh_tokens" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "used_assertions_expiry" ON "used_assertions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "login_sessions_user" ON "login_sessions" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "webhook_secrets_subscription" ON "webhook_secrets" USING btree ("subscription_id","id");--> statement-breakpoint
CREATE INDEX "webhook_subscription_types_subscription" ON "webhook_subscription_types" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_page" ON "webhook_subscriptions" USING btree ("client_id","user_id","id") WHERE "webhook_subscriptions"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_page_all" ON "webhook_subscriptions" USING btree ("client_id","id") WHERE "webhook_subscriptions"."user_id" is null and "webhook_subscriptions"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_user" ON "webhook_subscriptions" USING btree ("user_id");