import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Connection, TlsOptions } from './connection.ts';
import {
  credentialsOf,
  textOf,
  trustOf,
  type ClientNode,
  type Credentials,
  type Entry,
} from './credentials.ts';
import { CredentialsError, type ConnectionProblem } from './credentials-error.ts';
import { reasonOf } from './file-reason.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

export interface KubeconfigOptions {
  /** In order of precedence: an entry of an earlier file wins. */
  files: readonly string[];
  /** The user named the file: it must exist. */
  named: boolean;
  context: string | undefined;
  cwd: string;
}

/** The merged files: of entries with one name, that of the first file wins (as in kubectl). */
interface Merged {
  shown: string;
  current: string | undefined;
  clusters: Map<string, Entry>;
  users: Map<string, Entry>;
  contexts: Map<string, Entry>;
}

interface Chosen {
  context: string;
  namespace: string | undefined;
  server: string;
  cluster: Entry;
  user: Entry | undefined;
}

/**
 * The connection that kubeconfig files describe, or why there is none. A refresh reads the files again, because renewed
 * certificates and tokens are written there.
 */
export async function kubeconfigConnection(
  options: KubeconfigOptions,
): Promise<Connection | ConnectionProblem> {
  try {
    const clientNode: ClientNode = await import('./client-node.ts');
    const first = choose(read(options, clientNode), options.context);
    let credentials = await credentialsOf(first, clientNode);
    let tls = tlsOf(first, credentials);
    let refreshing: Promise<void> | undefined;
    const refresh = async (): Promise<void> => {
      const chosen = choose(read(options, clientNode), first.context);
      const fresh = await credentialsOf(chosen, clientNode);
      const freshTls = tlsOf(chosen, fresh);
      if (JSON.stringify(freshTls) !== JSON.stringify(tls)) tls = freshTls;
      credentials = fresh;
    };
    return {
      server: first.server,
      namespace: first.namespace,
      user: `context ${first.context}`,
      get tls() {
        return tls;
      },
      async headers(again = false) {
        if (again) {
          refreshing ??= refresh().finally(() => (refreshing = undefined));
          await refreshing;
        }
        return credentials.headers();
      },
    };
  } catch (error) {
    if (error instanceof CredentialsError) return { problem: error.message, help: error.help };
    throw error;
  }
}

function refuse(problem: string, help: string): CredentialsError {
  return new CredentialsError({ problem, help });
}

function read({ files, named, cwd }: KubeconfigOptions, clientNode: ClientNode): Merged {
  const shown = files.join(', ');
  const merged: Merged = {
    shown,
    current: undefined,
    clusters: new Map(),
    users: new Map(),
    contexts: new Map(),
  };
  let found = 0;
  for (const file of files) {
    const path = resolve(cwd, file);
    const text = readText(path, file, named);
    if (text === undefined) continue;
    found += 1;
    const fields = parse(text, file, clientNode);
    merged.current ??= textOf(fields['current-context']);
    for (const list of ['clusters', 'users', 'contexts'] as const) {
      for (const [name, entry] of entriesOf(fields, list, file, dirname(path)))
        if (!merged[list].has(name)) merged[list].set(name, entry);
    }
  }
  if (found === 0)
    throw refuse(
      files.length === 0
        ? 'no kubeconfig was given, and there is no home directory'
        : `${shown} does not exist`,
      'pass a kubeconfig with --kubeconfig or KUBECONFIG',
    );
  return merged;
}

function readText(path: string, shown: string, named: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing && !named) return undefined;
    throw refuse(
      `the kubeconfig ${shown} cannot be read: ${reasonOf(error)}`,
      'choose another file with --kubeconfig',
    );
  }
}

function parse(text: string, shown: string, clientNode: ClientNode): Record<string, unknown> {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : clientNode.loadYaml(text);
  } catch (error) {
    throw refuse(`${shown} is not a kubeconfig: ${reasonOf(error)}`, 'fix the file, or choose another one');
  }
  if (!isFields(value)) throw refuse(`${shown} is not a kubeconfig`, 'choose another file with --kubeconfig');
  return value;
}

function entriesOf(
  fields: Record<string, unknown>,
  list: 'clusters' | 'users' | 'contexts',
  shown: string,
  folder: string,
): [string, Entry][] {
  const items: unknown = fields[list] ?? [];
  if (!Array.isArray(items))
    throw refuse(
      `${shown} is not a kubeconfig: ${list} is not a list`,
      'fix the file, or choose another one',
    );
  return items.map((item: unknown, index) => {
    const name = isFields(item) ? textOf(item['name']) : undefined;
    const inner: unknown = isFields(item) ? (item[list.slice(0, -1)] ?? {}) : undefined;
    if (name === undefined || !isFields(inner))
      throw refuse(
        `${shown} is not a kubeconfig: ${list}[${index}] has no name or is not an object`,
        'fix the file, or choose another one',
      );
    return [name, { name, fields: inner, folder, shown }];
  });
}

/** The cluster and user of a context. Throws CredentialsError if one is missing. */
function choose(merged: Merged, wanted: string | undefined): Chosen {
  const names = [...merged.contexts.keys()].sort();
  const known =
    names.length === 0 ? 'it has no contexts' : `it has ${names.map((name) => `'${name}'`).join(', ')}`;
  const context = wanted ?? merged.current;
  if (context === undefined)
    throw refuse(`${merged.shown} has no current context`, `choose one with --context: ${known}`);
  const found = merged.contexts.get(context);
  if (found === undefined)
    throw refuse(`${merged.shown} has no context '${context}'`, `choose one with --context: ${known}`);
  const clusterName = textOf(found.fields['cluster']) ?? '';
  const cluster = merged.clusters.get(clusterName);
  if (cluster === undefined)
    throw refuse(
      `context '${context}' names the cluster '${clusterName}', which ${merged.shown} does not have`,
      'fix the file, or choose another context with --context',
    );
  const userName = textOf(found.fields['user']);
  const user = userName === undefined ? undefined : merged.users.get(userName);
  if (userName !== undefined && user === undefined)
    throw refuse(
      `context '${context}' names the user '${userName}', which ${merged.shown} does not have`,
      'fix the file, or choose another context with --context',
    );
  if (textOf(cluster.fields['proxy-url']) !== undefined)
    throw refuse(
      `cluster '${clusterName}' is reached through a proxy (proxy-url), which is not supported`,
      'run this where the API server is reachable without a proxy, or forward a port to it',
    );
  return {
    context,
    namespace: textOf(found.fields['namespace']),
    server: serverOf(cluster),
    cluster,
    user,
  };
}

function serverOf(cluster: Entry): string {
  const server = textOf(cluster.fields['server']) ?? '';
  // kubectl accepts an address without a scheme.
  const text = server.includes('://') ? server : `http://${server}`;
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (server === '' || !isUrl)
    throw refuse(
      `cluster '${cluster.name}' has no valid address (server: ${JSON.stringify(server)})`,
      `set clusters[].cluster.server in ${cluster.shown} to https://HOST:PORT`,
    );
  return withoutTrailing(text, '/');
}

function tlsOf({ server, cluster }: Chosen, { cert, key }: Credentials): TlsOptions | undefined {
  if (server.startsWith('http:')) return undefined;
  const servername = textOf(cluster.fields['tls-server-name']);
  const ca = trustOf(cluster);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    rejectUnauthorized: cluster.fields['insecure-skip-tls-verify'] !== true,
  };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
