# docker build -t heapflow . && docker run --rm -v "$PWD:/src:ro" heapflow check .
# The tree is mounted read-only: heapflow writes nothing there.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /heapflow
RUN HEAPFLOW_COMPILE=1 python -m pip wheel --no-cache-dir --wheel-dir /wheels /heapflow

FROM python:3.12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libc6-dev git make \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir --no-index --find-links /wheels heapflow && rm -rf /wheels \
    && useradd --create-home heapflow
USER heapflow
WORKDIR /src
ENTRYPOINT ["heapflow"]
CMD ["--help"]
