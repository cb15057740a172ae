import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const KUBECONFIG = 'kruise-sandbox.kubeconfig';

export interface Access {
  url: string;
  token: string;
}

/** The server and credentials in the kubeconfig of a sandbox. */
export function accessOf(folder: string, file = KUBECONFIG): Access {
  const config = parse(readFileSync(join(folder, file), 'utf8')) as {
    clusters: { cluster: { server: string } }[];
    users: { user: { token: string } }[];
  };
  const server = new URL(config.clusters[0]?.cluster.server ?? '');
  return { url: server.origin, token: config.users[0]?.user.token ?? '' };
}

export interface Sent {
  method: string;
  body: string;
  contentType: string;
}

/** Sends a request to the sandbox whose kubeconfig is in the folder. */
export async function request(
  folder: string,
  path: string,
  sent?: Sent,
): Promise<{ code: number; body: Record<string, unknown> }> {
  const { url, token } = accessOf(folder);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(url + path, {
    ...(sent === undefined ? {} : { method: sent.method, body: sent.body }),
    headers: sent === undefined ? headers : { ...headers, 'content-type': sent.contentType },
  });
  return { code: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** The objects of a collection. */
export async function itemsAt<T>(folder: string, path: string): Promise<T[]> {
  return (await request(folder, path)).body['items'] as T[];
}

/** The ConfigMap that every namespace gets automatically. */
export const ROOT_CERTIFICATE = 'kube-root-ca.crt';

/** The names in a collection without that ConfigMap. */
export async function namesAt(folder: string, path: string): Promise<string[]> {
  const items = await itemsAt<{ metadata: { name: string } }>(folder, path);
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== ROOT_CERTIFICATE);
}
