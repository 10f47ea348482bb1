# cdcoref with its default model, serving a collection that lies in the volume /data.
FROM python:3.12-slim

WORKDIR /app
COPY . .
RUN pip install --no-cache-dir -c constraints.txt '.[serve,documents]'

RUN useradd --uid 10001 --create-home cdcoref && mkdir /data && chown cdcoref:cdcoref /data
USER cdcoref
VOLUME /data
WORKDIR /data

EXPOSE 8321
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8321/health', timeout=4)"]
ENTRYPOINT ["cdcoref"]
CMD ["serve", "news.cdcoref", "--host", "0.0.0.0"]
