CREATE TABLE "request_log" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"request_id" text COLLATE "C" NOT NULL,
	"operation" text NOT NULL,
	"status" smallint NOT NULL,
	"code" text,
	"message" text,
	"credential_id" text COLLATE "C",
	"duration_ms" integer NOT NULL,
	"address" "inet",
	"sent" text,
	CONSTRAINT "request_log_request_length" CHECK (octet_length("request_log"."request_id") <= 128),
	CONSTRAINT "request_log_message_length" CHECK (char_length("request_log"."message") <= 500),
	CONSTRAINT "request_log_sent_size" CHECK (octet_length("request_log"."sent") <= 4096)
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "request_log_omissions" (
	"client_id" text COLLATE "C" NOT NULL,
	"minute" timestamp (0) with time zone NOT NULL,
	"failures" integer NOT NULL,
	CONSTRAINT "request_log_omissions_pkey" PRIMARY KEY("client_id","minute")
);
--> statement-breakpoint
CREATE INDEX "request_log_client" ON "request_log" USING btree ("client_id","id");--> statement-breakpoint
CREATE INDEX "request_log_request" ON "request_log" USING btree ("request_id","client_id","id");--> statement-breakpoint
CREATE INDEX "request_log_omissions_minute" ON "request_log_omissions" USING btree ("minute");