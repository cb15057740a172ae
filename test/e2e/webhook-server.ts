import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeIdentity } from 'kruise-sandbox/http';

/** The part of a review that a webhook reads. */
export interface Asked {
  uid: string;
  operation: string;
  kind: { group: string; version: string; kind: string };
  subResource?: string;
  name?: string;
  namespace?: string;
  dryRun?: boolean;
  userInfo: { username?: string };
  object: {
    metadata: { name?: string; uid?: string; labels?: Record<string, string> };
    spec?: unknown;
  } | null;
  oldObject: unknown;
}

/** What a webhook answers, beyond the uid; `patch` as operations. */
export interface WebhookResponse {
  allowed?: boolean;
  patch?: object[];
  warnings?: string[];
  status?: object;
  [field: string]: unknown;
}

export type Handler = (asked: Asked) => WebhookResponse | Promise<WebhookResponse>;

/** A webhook over HTTPS on this machine, one handler for each path. */
export interface WebhookServer {
  url(path: string): string;
  /** In base64. */
  caBundle: string;
  on(path: string, handler: Handler): void;
  close(): Promise<void>;
}

export async function startWebhooks(): Promise<WebhookServer> {
  const { key, certificate: cert } = await makeIdentity();
  const handlers = new Map<string, Handler>();
  const server = createServer({ key, cert }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => void answer());
    const answer = async () => {
      const handler = handlers.get((message.url ?? '').replace(/\?.*$/, ''));
      if (handler === undefined) return response.writeHead(404).end();
      const { request } = JSON.parse(Buffer.concat(chunks).toString()) as { request: Asked };
      const { patch, ...fields } = await handler(request);
      const body = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: {
          uid: request.uid,
          allowed: true,
          ...(patch === undefined
            ? {}
            : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
          ...fields,
        },
      };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `https://127.0.0.1:${port}${path}`,
    caBundle: Buffer.from(cert).toString('base64'),
    on: (path, handler) => void handlers.set(path, handler),
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
