import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { parse } from 'yaml';

/** One request without kubectl; throws on a refusal. Paths begin with `/`. */
export type Rest = (method: string, path: string, body?: unknown, contentType?: string) => Promise<unknown>;

interface Kubeconfig {
  'current-context': string;
  contexts: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  clusters: { name: string; cluster: Record<string, string | boolean | undefined> & { server: string } }[];
  users: { name: string; user: Record<string, string | undefined> }[];
}

/** What a field holds, or the file that the field of that name without `-data` points to. */
function material(from: Record<string, unknown>, field: string): Buffer | undefined {
  const data = from[`${field}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64');
  const path = from[field];
  return typeof path === 'string' ? readFileSync(path) : undefined;
}

/** The address of a kubeconfig's present cluster, and a way to ask it. */
export function createRest(text: string): { url: string; rest: Rest } {
  const config = parse(text) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users.find(({ name }) => name === context?.user)?.user ?? {};
  if (cluster === undefined) throw new Error('the kubeconfig names no cluster');
  const server = new URL(cluster.server);
  const secure = server.protocol === 'https:';
  const agent = secure
    ? new Agent({
        keepAlive: true,
        ca: material(cluster, 'certificate-authority'),
        cert: material(user, 'client-certificate'),
        key: material(user, 'client-key'),
        rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
      })
    : undefined;
  const options = {
    ...(agent === undefined ? {} : { agent }),
    ...(server.username === '' ? {} : { auth: `${server.username}:${server.password}` }),
  };
  const authorization = user['token'] === undefined ? {} : { authorization: `Bearer ${user['token']}` };

  async function rest(method: string, path: string, body?: unknown, contentType = 'application/json') {
    const headers = { accept: 'application/json', 'content-type': contentType, ...authorization };
    const { code, answer } = await new Promise<{ code: number; answer: string }>((resolve, reject) => {
      const sent = (secure ? requestHttps : requestHttp)(
        new URL(path, server.origin),
        { ...options, method, headers },
        (response) => {
          let answered = '';
          response.setEncoding('utf8').on('data', (piece: string) => (answered += piece));
          response.on('end', () => resolve({ code: response.statusCode ?? 0, answer: answered }));
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
    if (code >= 400) throw new Error(`${method} ${path}: ${code} ${answer}`);
    return JSON.parse(answer) as unknown;
  }

  return { url: `${server.protocol}//${server.host}`, rest };
}

/** The kubeconfig with another namespace for commands that name none. */
export function withNamespace(text: string, namespace: string): string {
  const config = parse(text) as Kubeconfig;
  for (const { context } of config.contexts) context.namespace = namespace;
  return JSON.stringify(config);
}
