CREATE INDEX IF NOT EXISTS "api_keys_replaced_by" ON "api_keys" USING btree ("replaced_by") WHERE "api_keys"."replaced_by" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "access_tokens_client" ON "access_tokens" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "authorization_codes_client" ON "authorization_codes" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "authorization_codes_grant" ON "authorization_codes" USING btree ("grant_id") WHERE "authorization_codes"."grant_id" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_subscriptions_client" ON "webhook_subscriptions" USING btree ("client_id");