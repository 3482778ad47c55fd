/// <reference lib="esnext.disposable" />
import { httpSubscriptionLink, TRPCClient, TRPCClientError } from '@trpc/client';
import * as _trpc_server from '@trpc/server';
import { TRPCError, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import * as _trpc_server_unstable_core_do_not_import from '@trpc/server/unstable-core-do-not-import';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';

type ProblemCode = "invalid_request" | "invalid_grant" | "invalid_scope" | "invalid_dpop_proof" | "unauthorized_client" | "unsupported_grant_type" | "invalid_cursor" | "message_too_long" | "invalid_url" | "unknown_event_type" | "cannot_ban_self" | "limit_reached" | "idempotency_mismatch" | "unauthorized" | "invalid_token" | "invalid_client" | "insufficient_scope" | "user_token_required" | "forbidden" | "sender_banned" | "unknown_room" | "not_found" | "channel_not_found" | "category_not_found" | "livestream_not_found" | "message_not_found" | "user_not_found" | "subscription_not_found" | "method_not_allowed" | "already_banned" | "already_live" | "cursor_expired" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "unavailable"
type Problem = { status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 429 | 500 | 503 }

/** An event as it is stored. `payload` is the body of a delivery, to the byte. */
type LoggedEvent = {
    id: string;
    type: string;
    payload: string;
};

/** A failed call as /trpc answers it. */
type CallFailure = {
    message: string;
    code: (typeof TRPC_ERROR_CODES_BY_KEY)[TRPCError['code']];
    data: {
        code: TRPCError['code'];
        /** Which the status of the answer follows, so domain code never has to throw a TRPCError. */
        httpStatus: Problem['status'];
        /** What REST shows. */
        problem: {
            code: ProblemCode;
            message: string;
        };
    };
};

type OperationMeta = object

type ProcedureContext = object

/** What /trpc serves. */
declare const appRouter: _trpc_server.TRPCBuiltRouter<{
    ctx: ProcedureContext;
    meta: OperationMeta;
    errorShape: CallFailure;
    transformer: false;
}, _trpc_server.TRPCDecorateCreateRouterOptions<{
    oauth: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        token: _trpc_server.TRPCMutationProcedure<{
            input: {
                grant_type: string;
                code?: string | undefined;
                refresh_token?: string | undefined;
                code_verifier?: string | undefined;
                redirect_uri?: string | undefined;
                scope?: string | undefined;
                client_id?: string | undefined;
                client_secret?: string | undefined;
                client_assertion_type?: string | undefined;
                client_assertion?: string | undefined;
            };
            output: {
                access_token: string;
                token_type: "Bearer" | "DPoP";
                expires_in: number;
                scope: string;
                refresh_token?: string | undefined;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        revoke: _trpc_server.TRPCMutationProcedure<{
            input: {
                token: string;
                client_id?: string | undefined;
                client_secret?: string | undefined;
                client_assertion_type?: string | undefined;
                client_assertion?: string | undefined;
            };
            output: Record<string, never>;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    users: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        me: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                id: string;
                username: string;
                email: string;
                bio: string | null;
                image_url: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    channels: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    username: string;
                    bio: string | null;
                    image_url: string | null;
                    is_live: boolean;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                slug: string;
            };
            output: {
                id: string;
                username: string;
                bio: string | null;
                image_url: string | null;
                is_live: boolean;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        update: _trpc_server.TRPCMutationProcedure<{
            input: {
                bio?: string | null | undefined;
                image_url?: string | null | undefined;
            };
            output: {
                id: string;
                username: string;
                bio: string | null;
                image_url: string | null;
                is_live: boolean;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    categories: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    slug: string;
                    label: string;
                    description: string | null;
                    image_url: string | null;
                    featured: boolean;
                    sort_order: number;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                slug: string;
                label: string;
                description: string | null;
                image_url: string | null;
                featured: boolean;
                sort_order: number;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    livestreams: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
                broadcaster_user_id?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    title: string | null;
                    category: string | null;
                    thumbnail_url: string | null;
                    channel: {
                        id: string;
                        username: string;
                    } | null;
                    updated_at: string;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                title: string | null;
                category: string | null;
                thumbnail_url: string | null;
                channel: {
                    id: string;
                    username: string;
                } | null;
                updated_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        start: _trpc_server.TRPCMutationProcedure<{
            input: {
                title?: string | null | undefined;
                category?: string | null | undefined;
            };
            output: {
                id: string;
                title: string | null;
                category: string | null;
                thumbnail_url: string | null;
                channel: {
                    id: string;
                    username: string;
                } | null;
                updated_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        update: _trpc_server.TRPCMutationProcedure<{
            input: {
                title?: string | null | undefined;
                category?: string | null | undefined;
            };
            output: {
                id: string;
                title: string | null;
                category: string | null;
                thumbnail_url: string | null;
                channel: {
                    id: string;
                    username: string;
                } | null;
                updated_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        end: _trpc_server.TRPCMutationProcedure<{
            input: Record<string, never>;
            output: {
                ended: boolean;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    chat: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                room_name: string;
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    user_identity: string;
                    user_name: string;
                    id: string;
                    content: string;
                    type: string;
                    created_at: string;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        send: _trpc_server.TRPCMutationProcedure<{
            input: {
                room_name: string;
                content: string;
            };
            output: {
                room_name: string;
                id: string;
                content: string;
                type: string;
                created_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        delete: _trpc_server.TRPCMutationProcedure<{
            input: {
                messageId: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        watch: _trpc_server.TRPCSubscriptionProcedure<{
            input: {
                room_name: string;
                lastEventId?: string | null | undefined;
            };
            output: AsyncIterable<_trpc_server_unstable_core_do_not_import.TrackedData<{
                change: "sent" | "deleted";
                message: {
                    user_identity: string;
                    user_name: string;
                    room_name: string;
                    id: string;
                    content: string;
                    type: string;
                    created_at: string;
                };
            }>, void, unknown>;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    moderation: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    created_at: string;
                    blocked_user: {
                        id: string;
                        username: string;
                    } | null;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        ban: _trpc_server.TRPCMutationProcedure<{
            input: {
                user_id: string;
            };
            output: {
                id: string;
                created_at: string;
                blocked_user: {
                    id: string;
                    username: string;
                } | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        unban: _trpc_server.TRPCMutationProcedure<{
            input: {
                user_id: string;
            };
            output: {
                removed: boolean;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    events: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        read: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                wait?: number | undefined;
                after?: string | undefined;
                since?: string | undefined;
                types?: string | undefined;
                channel?: string | undefined;
            };
            output: {
                events: {
                    id: string;
                    type: string;
                    payload: string;
                }[];
                next: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        follow: _trpc_server.TRPCSubscriptionProcedure<{
            input: {
                lastEventId?: string | null | undefined;
                after?: string | undefined;
                since?: string | undefined;
                types?: string | undefined;
                channel?: string | undefined;
            };
            output: AsyncIterable<_trpc_server_unstable_core_do_not_import.TrackedData<{
                id: string;
                type: string;
                payload: string;
            }>, void, unknown>;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    url: string;
                    event_types: string[];
                    description: string | null;
                    status: string;
                    created_at: string;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        create: _trpc_server.TRPCMutationProcedure<{
            input: {
                url: string;
                event_types: string[];
                description?: string | null | undefined;
            };
            output: {
                signing_secret: string;
                id: string;
                url: string;
                event_types: string[];
                description: string | null;
                status: string;
                created_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        delete: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    overlays: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                id: string;
                name: string;
                last4: string;
                event_types: string[];
                created_at: string;
                rolled_at: string | null;
                last_used_at: string | null;
            }[];
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        create: _trpc_server.TRPCMutationProcedure<{
            input: {
                name: string;
                event_types: string[];
            };
            output: {
                id: string;
                name: string;
                last4: string;
                event_types: string[];
                created_at: string;
                rolled_at: string | null;
                last_used_at: string | null;
                key: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        roll: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                name: string;
                last4: string;
                event_types: string[];
                created_at: string;
                rolled_at: string | null;
                last_used_at: string | null;
                key: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        revoke: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    health: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        live: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                ok: true;
                service: "developer-api";
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        ready: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                ready: true;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        metadata: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                service: "developer-api";
                version: string;
                documentation: string;
                openapi: string;
                openapi_extensions: string;
                asyncapi: string;
                authorization_server: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    account: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        me: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                id: string;
                username: string;
                email: string;
                bio: string | null;
                image_url: string | null;
                created_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        changeEmail: _trpc_server.TRPCMutationProcedure<{
            input: {
                email: string;
                password: string;
            };
            output: {
                id: string;
                username: string;
                email: string;
                bio: string | null;
                image_url: string | null;
                created_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        changePassword: _trpc_server.TRPCMutationProcedure<{
            input: {
                current_password: string;
                new_password: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        audit: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    at: string;
                    action: string;
                    actor_type: "client" | "user" | "api_key" | "operator" | "system";
                    actor_id: string | null;
                    user_id: string | null;
                    application_id: string | null;
                    target_id: string | null;
                    request_id: string | null;
                    ip: string | null;
                    user_agent: string | null;
                    details: Record<string, string | number | boolean | string[]>;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        sessions: _trpc_server.TRPCBuiltRouter<{
            ctx: ProcedureContext;
            meta: OperationMeta;
            errorShape: CallFailure;
            transformer: false;
        }, _trpc_server.TRPCDecorateCreateRouterOptions<{
            list: _trpc_server.TRPCQueryProcedure<{
                input: {
                    limit?: number | undefined;
                    cursor?: string | undefined;
                };
                output: {
                    items: {
                        id: string;
                        created_at: string;
                        last_seen_at: string;
                        expires_at: string;
                        ip: string | null;
                        user_agent: string | null;
                        is_current: boolean;
                    }[];
                    next: string | null;
                };
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
            revoke: _trpc_server.TRPCMutationProcedure<{
                input: {
                    id: string;
                };
                output: void;
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
        }>>;
        grants: _trpc_server.TRPCBuiltRouter<{
            ctx: ProcedureContext;
            meta: OperationMeta;
            errorShape: CallFailure;
            transformer: false;
        }, _trpc_server.TRPCDecorateCreateRouterOptions<{
            list: _trpc_server.TRPCQueryProcedure<{
                input: {
                    limit?: number | undefined;
                    cursor?: string | undefined;
                };
                output: {
                    items: {
                        application_id: string;
                        name: string;
                        website_url: string | null;
                        scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                        grants: number;
                        first_allowed_at: string;
                        last_allowed_at: string;
                        webhooks: {
                            id: string;
                            host: string;
                            event_types: string[];
                            created_at: string;
                        }[];
                    }[];
                    next: string | null;
                };
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
            revoke: _trpc_server.TRPCMutationProcedure<{
                input: {
                    application_id: string;
                };
                output: void;
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
        }>>;
        webhooks: _trpc_server.TRPCBuiltRouter<{
            ctx: ProcedureContext;
            meta: OperationMeta;
            errorShape: CallFailure;
            transformer: false;
        }, _trpc_server.TRPCDecorateCreateRouterOptions<{
            delete: _trpc_server.TRPCMutationProcedure<{
                input: {
                    id: string;
                };
                output: void;
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
        }>>;
    }>>;
    applications: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        create: _trpc_server.TRPCMutationProcedure<{
            input: {
                name: string;
                confidential: boolean;
                website_url?: string | null | undefined;
                redirect_uris?: string[] | undefined;
                grant_types?: ("authorization_code" | "refresh_token" | "client_credentials")[] | undefined;
                scopes?: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[] | undefined;
                jwks?: Record<string, unknown> | undefined;
                dpop_bound?: boolean | undefined;
            };
            output: {
                id: string;
                name: string;
                website_url: string | null;
                confidential: boolean;
                redirect_uris: string[];
                grant_types: ("authorization_code" | "refresh_token" | "client_credentials")[];
                scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                jwks: {
                    keys: {
                        kty: "EC" | "RSA" | "OKP";
                        use?: "sig" | undefined;
                        alg?: "ES256" | "ES384" | "ES512" | "EdDSA" | "Ed25519" | "PS256" | "PS384" | "PS512" | "RS256" | "RS384" | "RS512" | undefined;
                        kid?: string | undefined;
                        crv?: string | undefined;
                        x?: string | undefined;
                        y?: string | undefined;
                        n?: string | undefined;
                        e?: string | undefined;
                    }[];
                } | null;
                dpop_bound: boolean;
                created_at: string;
                updated_at: string;
                last_called_at: string | null;
                disabled_at: string | null;
                client_secret: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    name: string;
                    website_url: string | null;
                    confidential: boolean;
                    redirect_uris: string[];
                    grant_types: ("authorization_code" | "refresh_token" | "client_credentials")[];
                    scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                    jwks: {
                        keys: {
                            kty: "EC" | "RSA" | "OKP";
                            use?: "sig" | undefined;
                            alg?: "ES256" | "ES384" | "ES512" | "EdDSA" | "Ed25519" | "PS256" | "PS384" | "PS512" | "RS256" | "RS384" | "RS512" | undefined;
                            kid?: string | undefined;
                            crv?: string | undefined;
                            x?: string | undefined;
                            y?: string | undefined;
                            n?: string | undefined;
                            e?: string | undefined;
                        }[];
                    } | null;
                    dpop_bound: boolean;
                    created_at: string;
                    updated_at: string;
                    last_called_at: string | null;
                    disabled_at: string | null;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                name: string;
                website_url: string | null;
                confidential: boolean;
                redirect_uris: string[];
                grant_types: ("authorization_code" | "refresh_token" | "client_credentials")[];
                scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                jwks: {
                    keys: {
                        kty: "EC" | "RSA" | "OKP";
                        use?: "sig" | undefined;
                        alg?: "ES256" | "ES384" | "ES512" | "EdDSA" | "Ed25519" | "PS256" | "PS384" | "PS512" | "RS256" | "RS384" | "RS512" | undefined;
                        kid?: string | undefined;
                        crv?: string | undefined;
                        x?: string | undefined;
                        y?: string | undefined;
                        n?: string | undefined;
                        e?: string | undefined;
                    }[];
                } | null;
                dpop_bound: boolean;
                created_at: string;
                updated_at: string;
                last_called_at: string | null;
                disabled_at: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        update: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
                website_url?: string | null | undefined;
                redirect_uris?: string[] | undefined;
                grant_types?: ("authorization_code" | "refresh_token" | "client_credentials")[] | undefined;
                scopes?: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[] | undefined;
                jwks?: Record<string, unknown> | undefined;
                name?: string | undefined;
            };
            output: {
                id: string;
                name: string;
                website_url: string | null;
                confidential: boolean;
                redirect_uris: string[];
                grant_types: ("authorization_code" | "refresh_token" | "client_credentials")[];
                scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                jwks: {
                    keys: {
                        kty: "EC" | "RSA" | "OKP";
                        use?: "sig" | undefined;
                        alg?: "ES256" | "ES384" | "ES512" | "EdDSA" | "Ed25519" | "PS256" | "PS384" | "PS512" | "RS256" | "RS384" | "RS512" | undefined;
                        kid?: string | undefined;
                        crv?: string | undefined;
                        x?: string | undefined;
                        y?: string | undefined;
                        n?: string | undefined;
                        e?: string | undefined;
                    }[];
                } | null;
                dpop_bound: boolean;
                created_at: string;
                updated_at: string;
                last_called_at: string | null;
                disabled_at: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        delete: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        audit: _trpc_server.TRPCQueryProcedure<{
            input: {
                application_id: string;
                limit?: number | undefined;
                cursor?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    at: string;
                    action: string;
                    actor_type: "client" | "user" | "api_key" | "operator" | "system";
                    actor_id: string | null;
                    user_id: string | null;
                    application_id: string | null;
                    target_id: string | null;
                    request_id: string | null;
                    ip: string | null;
                    user_agent: string | null;
                    details: Record<string, string | number | boolean | string[]>;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        rotateSecret: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                client_secret: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        secrets: _trpc_server.TRPCBuiltRouter<{
            ctx: ProcedureContext;
            meta: OperationMeta;
            errorShape: CallFailure;
            transformer: false;
        }, _trpc_server.TRPCDecorateCreateRouterOptions<{
            list: _trpc_server.TRPCQueryProcedure<{
                input: {
                    id: string;
                };
                output: {
                    id: string;
                    last4: string;
                    created_at: string;
                    expires_at: string | null;
                }[];
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
            revoke: _trpc_server.TRPCMutationProcedure<{
                input: {
                    id: string;
                    secret_id: string;
                };
                output: void;
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
        }>>;
        keys: _trpc_server.TRPCBuiltRouter<{
            ctx: ProcedureContext;
            meta: OperationMeta;
            errorShape: CallFailure;
            transformer: false;
        }, _trpc_server.TRPCDecorateCreateRouterOptions<{
            list: _trpc_server.TRPCQueryProcedure<{
                input: {
                    application_id: string;
                    limit?: number | undefined;
                    cursor?: string | undefined;
                };
                output: {
                    items: {
                        id: string;
                        application_id: string;
                        name: string;
                        first8: string;
                        last4: string;
                        scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                        created_by: string | null;
                        created_at: string;
                        expires_at: string | null;
                        last_used_at: string | null;
                        revoked_at: string | null;
                        replaced_by: string | null;
                    }[];
                    next: string | null;
                };
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
            create: _trpc_server.TRPCMutationProcedure<{
                input: {
                    application_id: string;
                    name: string;
                    scopes?: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[] | undefined;
                    expires_in_days?: number | undefined;
                };
                output: {
                    id: string;
                    application_id: string;
                    name: string;
                    first8: string;
                    last4: string;
                    scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                    created_by: string | null;
                    created_at: string;
                    expires_at: string | null;
                    last_used_at: string | null;
                    revoked_at: string | null;
                    replaced_by: string | null;
                    key: string;
                };
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
            roll: _trpc_server.TRPCMutationProcedure<{
                input: {
                    id: string;
                    expires_in_days?: number | undefined;
                };
                output: {
                    id: string;
                    application_id: string;
                    name: string;
                    first8: string;
                    last4: string;
                    scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                    created_by: string | null;
                    created_at: string;
                    expires_at: string | null;
                    last_used_at: string | null;
                    revoked_at: string | null;
                    replaced_by: string | null;
                    key: string;
                };
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
            revoke: _trpc_server.TRPCMutationProcedure<{
                input: {
                    id: string;
                };
                output: void;
                meta: OperationMeta;
                errorShape: CallFailure;
            }>;
        }>>;
    }>>;
    webhooks: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                limit?: number | undefined;
                cursor?: string | undefined;
                application_id?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    application_id: string;
                    user_id: string | null;
                    url: string;
                    event_types: string[];
                    description: string | null;
                    status: string;
                    created_at: string;
                    disabled_reason: string | null;
                    disabled_at: string | null;
                    failing_since: string | null;
                    failed_attempts: number;
                    last_success_at: string | null;
                    resting_until: string | null;
                    warning_days: number | null;
                    disables_at: string | null;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                application_id: string;
                user_id: string | null;
                url: string;
                event_types: string[];
                description: string | null;
                status: string;
                created_at: string;
                disabled_reason: string | null;
                disabled_at: string | null;
                failing_since: string | null;
                failed_attempts: number;
                last_success_at: string | null;
                resting_until: string | null;
                warning_days: number | null;
                disables_at: string | null;
                secrets: {
                    id: string;
                    created_at: string;
                    expires_at: string | null;
                }[];
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        rotateSecret: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
                overlap_s?: number | undefined;
            };
            output: {
                signing_secret: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        enable: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                missed: number;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        test: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
                type?: "chat.message.sent" | "livestream.started" | "livestream.updated" | "livestream.ended" | "chat.message.deleted" | "moderation.ban.created" | "moderation.ban.removed" | "channel.updated" | "webhook.test" | undefined;
            };
            output: {
                n: number;
                started_at: string;
                duration_ms: number;
                status: number | null;
                error_class: string | null;
                detail: string | null;
                response: string | null;
                delivery_id: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        create: _trpc_server.TRPCMutationProcedure<{
            input: {
                application_id: string;
                url: string;
                event_types: string[];
                description?: string | null | undefined;
            };
            output: {
                signing_secret: string;
                id: string;
                url: string;
                event_types: string[];
                description: string | null;
                status: string;
                created_at: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        disable: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        delete: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        eventTypes: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                type: string;
                description: string;
                for_moderators: boolean;
                schema: Record<string, unknown>;
                sample: Record<string, unknown>;
            }[];
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    deliveries: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        list: _trpc_server.TRPCQueryProcedure<{
            input: {
                subscription: string;
                limit?: number | undefined;
                cursor?: string | undefined;
                from?: string | undefined;
                to?: string | undefined;
                outcome?: "pending" | "delivered" | "failed" | "cancelled" | "held" | "expired" | undefined;
                type?: string | undefined;
            };
            output: {
                items: {
                    id: string;
                    event_id: string;
                    type: string;
                    subscription_id: string;
                    outcome: "pending" | "delivered" | "failed" | "cancelled" | "held" | "expired";
                    reason: string | null;
                    attempts: number;
                    created_at: string;
                    finished_at: string | null;
                    due_at: string | null;
                }[];
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                event_id: string;
                type: string;
                subscription_id: string;
                outcome: "pending" | "delivered" | "failed" | "cancelled" | "held" | "expired";
                reason: string | null;
                attempts: number;
                created_at: string;
                finished_at: string | null;
                due_at: string | null;
                payload: string | null;
                attempts_made: {
                    n: number;
                    started_at: string;
                    duration_ms: number;
                    status: number | null;
                    error_class: string | null;
                    detail: string | null;
                    response: string | null;
                }[];
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        redeliver: _trpc_server.TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: void;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        replay: _trpc_server.TRPCMutationProcedure<{
            input: {
                subscription: string;
                only: "missed" | "failed" | "all";
                from?: string | undefined;
                to?: string | undefined;
                after?: string | undefined;
            };
            output: {
                queued: number;
                hastened: number;
                next: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        status: _trpc_server.TRPCQueryProcedure<{
            input: Record<string, never>;
            output: {
                due_lag_s: number;
                publish_to_arrival_p50_s: number | null;
                publish_to_arrival_p95_s: number | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        follow: _trpc_server.TRPCSubscriptionProcedure<{
            input: {
                types?: ("chat.message.sent" | "livestream.started" | "livestream.updated" | "livestream.ended" | "chat.message.deleted" | "moderation.ban.created" | "moderation.ban.removed" | "channel.updated")[] | undefined;
                since?: string | undefined;
                lastEventId?: string | null | undefined;
            };
            output: AsyncIterable<_trpc_server_unstable_core_do_not_import.TrackedData<{
                events: LoggedEvent[];
            }>, void, unknown>;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        watch: _trpc_server.TRPCSubscriptionProcedure<{
            input: {
                subscription: string;
            };
            output: AsyncIterable<{
                changed: true;
            }, any, any>;
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    doctor: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        credential: _trpc_server.TRPCMutationProcedure<{
            input: {
                credential: string;
            };
            output: {
                kind: "unknown" | "refresh_token" | "client_secret" | "access_token" | "api_key" | "overlay_key";
                active: boolean;
                client_id: string | null;
                user_id: string | null;
                username: string | null;
                scopes: ("user:read" | "channel:read" | "channel:write" | "category:read" | "livestream:read" | "livestream:write" | "chat:read" | "chat:write" | "moderation:read" | "moderation:write" | "webhook:write")[];
                expires_at: string | null;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
        signature: _trpc_server.TRPCMutationProcedure<{
            input: {
                secret: string;
                id: string;
                timestamp: string;
                signature: string;
                body: string;
            };
            output: {
                valid: boolean;
                reason: string;
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
    usage: _trpc_server.TRPCBuiltRouter<{
        ctx: ProcedureContext;
        meta: OperationMeta;
        errorShape: CallFailure;
        transformer: false;
    }, _trpc_server.TRPCDecorateCreateRouterOptions<{
        get: _trpc_server.TRPCQueryProcedure<{
            input: {
                application_id: string;
                span?: "day" | "month" | undefined;
            };
            output: {
                step: "day" | "hour";
                from: string;
                requests: {
                    requests: number;
                    errors: number;
                    limited: number;
                    mean_ms: number | null;
                    at: string;
                }[];
                operations: {
                    requests: number;
                    errors: number;
                    limited: number;
                    mean_ms: number | null;
                    operation: string;
                }[];
                deliveries: {
                    sampled: number;
                    p50_ms: number | null;
                    p95_ms: number | null;
                    at: string;
                }[];
                delivery_latency: {
                    sampled: number;
                    p50_ms: number | null;
                    p95_ms: number | null;
                };
                rate_limit: {
                    limit: number;
                    window_s: number;
                    keys: {
                        id: string;
                        name: string;
                        last4: string;
                        remaining: number;
                        reset_s: number;
                    }[];
                };
            };
            meta: OperationMeta;
            errorShape: CallFailure;
        }>;
    }>>;
}>>;
type AppRouter = typeof appRouter;

/** What a procedure takes: `RouterInputs['chat']['send']`. */
type RouterInputs = inferRouterInputs<AppRouter>;
/** What a procedure answers, or of a subscription what it yields. */
type RouterOutputs = inferRouterOutputs<AppRouter>;
/** A class such as that of the package `eventsource`, whose option `fetch` sends what is asked for. */
type EventSourceClass = NonNullable<Parameters<typeof httpSubscriptionLink>[0]['EventSource']>;
type ClientOptions = {
    /** Where the service is, for example `https://api.example.com`. */
    baseUrl: string;
    /**
     * An access token or an API key, or what gives one: it is asked before every request, so it may refresh. Our own pages
     * leave it out: there the cookie of the login session speaks.
     */
    credential?: string | (() => string | Promise<string>) | undefined;
    /** Called after every request with whether the service answered it. */
    onReachable?: ((isReachable: boolean) => void) | undefined;
    /** For subscriptions where there is none, as in Node, or with a credential: that of the package `eventsource`. */
    EventSource?: EventSourceClass | undefined;
};
/**
 * The typed client: every procedure of the service with the types of its router, from a browser or from Node. A failed
 * call rejects with a `TRPCClientError`, whose `data.problem` has the `code` and `message` that REST shows. Subscriptions
 * connect again by themselves and go on where they were cut off, until a refusal, which ends them with such an error.
 */
declare function createClient({ baseUrl, credential, onReachable, EventSource }: ClientOptions): TRPCClient<AppRouter>;
/** Whether an error is a failed call, answered or not. */
declare const isFailedCall: (error: unknown) => error is TRPCClientError<AppRouter>;
/** The service's answer to a call that failed; undefined when it did not answer. */
declare function problemOf(error: unknown): {
    code: string;
    message: string;
} | undefined;

export { createClient, isFailedCall, problemOf };
export type { AppRouter, ClientOptions, RouterInputs, RouterOutputs };
