# The command in an image: `docker run --rm --volume "$PWD:/project" IMAGE plan`. Built from the package: `npm pack` before.
FROM node:24-slim
# The ledger is git. The certificates are for HTTPS.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git ca-certificates \
 && rm -rf /var/lib/apt/lists/*
COPY svcsync-*.tgz /package/
RUN npm install --global --offline --ignore-scripts --cache /package/npm /package/svcsync-*.tgz && rm -rf /package
USER node
WORKDIR /project
ENTRYPOINT ["svcsync"]
