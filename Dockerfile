# The command line vsla in an image without a shell, which `make image` builds.
FROM scratch
COPY build/vsla /vsla
WORKDIR /work
ENTRYPOINT ["/vsla"]
