import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as clientNode from './client-node.ts';
import type { Headers } from './connection.ts';
import { CredentialsError } from './credentials-error.ts';
import { reasonOf } from './file-reason.ts';
import { tokenFile } from './service-account.ts';

export type ClientNode = typeof clientNode;

/** A named entry of a kubeconfig, and the folder that its relative paths start from. */
export interface Entry {
  name: string;
  fields: Readonly<Record<string, unknown>>;
  folder: string;
  /** The file as the user named it, for messages. */
  shown: string;
}

/** The credentials of a user. */
export interface Credentials {
  headers(): Headers;
  cert?: string;
  key?: string;
}

type Fields = Record<string, unknown>;

/** How long a plugin may take, milliseconds: it may prompt for a login. */
const PLUGIN_MS = 120_000;

/**
 * The credentials of a user of a kubeconfig. Over plain HTTP only those in the address itself are sent, as by kubectl: a token
 * must not be sent unencrypted. Throws CredentialsError.
 */
export async function credentialsOf(
  { server, cluster, user }: { server: string; cluster: Entry; user: Entry | undefined },
  client: ClientNode,
): Promise<Credentials> {
  const url = new URL(server);
  if (url.protocol === 'http:') {
    if (url.username === '' && url.password === '') return { headers: () => ({}) };
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    return { headers: () => headers };
  }
  if (user === undefined) return { headers: () => ({}) };
  const { fields } = user;
  if (fields['username'] !== undefined || fields['password'] !== undefined)
    throw refuse(
      user,
      'has a user name and a password, which Kubernetes no longer accepts',
      'use a token, a certificate or a plugin',
    );
  const cert = pem(user, 'client-certificate');
  const key = pem(user, 'client-key');
  if ((cert === undefined) !== (key === undefined))
    throw refuse(
      user,
      `has only a client ${cert === undefined ? 'key' : 'certificate'}`,
      'set both client-certificate and client-key, or neither',
    );
  const own = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  const as = impersonation(fields);
  // A token file takes precedence over a token, as in kubectl: it is the newer of both.
  const file = textOf(fields['tokenFile']);
  if (file !== undefined) {
    const read = tokenFile(
      resolve(user.folder, file),
      `check tokenFile of user '${user.name}' in ${user.shown}`,
    );
    // Fails now rather than with the first call if the file cannot be read.
    read();
    return { ...own, headers: withHeaders(read, as) };
  }
  const token = textOf(fields['token']);
  if (token !== undefined) {
    const headers = { authorization: `Bearer ${token}`, ...as };
    return { ...own, headers: () => headers };
  }
  const isPlugin = isFields(fields['exec']) || isFields(fields['auth-provider']);
  if (!isPlugin) return { ...own, headers: () => as };
  const plugin = await runPlugin(user, cluster, server, client);
  const headers = {
    ...(plugin.authorization === undefined ? {} : { authorization: plugin.authorization }),
    ...as,
  };
  if (plugin.authorization === undefined && plugin.cert === undefined && own.cert === undefined)
    throw refuse(
      user,
      'has a plugin that returned neither a token nor a certificate',
      `run its command by hand; it is in ${user.shown}`,
    );
  return {
    ...own,
    ...(plugin.cert === undefined ? {} : { cert: plugin.cert }),
    ...(plugin.key === undefined ? {} : { key: plugin.key }),
    headers: () => headers,
  };
}

/** The certificate authority of a cluster's server, as PEM; undefined: those of the system. */
export function trustOf(cluster: Entry): string | undefined {
  return pem(cluster, 'certificate-authority');
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(user: Entry, problem: string, help: string): CredentialsError {
  return new CredentialsError({ problem: `user '${user.name}' of ${user.shown} ${problem}`, help });
}

/** The PEM of a field; inline data (base64) takes precedence over a path, as in kubectl. */
function pem(
  entry: Entry,
  field: 'certificate-authority' | 'client-certificate' | 'client-key',
): string | undefined {
  const data = textOf(entry.fields[`${field}-data`]);
  const help = `check ${field} of '${entry.name}' in ${entry.shown}`;
  const checked = (text: string, where: string): string => {
    if (text.includes('-----BEGIN ')) return text;
    throw new CredentialsError({ problem: `${where} is not PEM`, help });
  };
  if (data !== undefined)
    return checked(
      Buffer.from(data, 'base64').toString('utf8'),
      `${field}-data of '${entry.name}' in ${entry.shown}`,
    );
  const path = textOf(entry.fields[field]);
  if (path === undefined) return undefined;
  try {
    return checked(readFileSync(resolve(entry.folder, path), 'utf8'), path);
  } catch (error) {
    if (error instanceof CredentialsError) throw error;
    throw new CredentialsError({ problem: `${field} ${path} cannot be read: ${reasonOf(error)}`, help });
  }
}

function impersonation(fields: Readonly<Fields>): Headers {
  const as = textOf(fields['as']);
  const uid = textOf(fields['as-uid']);
  const groups = textsOf(fields['as-groups']);
  const extra = isFields(fields['as-user-extra']) ? fields['as-user-extra'] : {};
  return {
    ...(as === undefined ? {} : { 'impersonate-user': as }),
    ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`,
        textsOf(values),
      ]),
    ),
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** Adds headers to those of `read`; returns the same object as long as `read` does. */
function withHeaders(read: () => Headers, more: Headers): () => Headers {
  let from: Headers | undefined;
  let all: Headers = {};
  return () => {
    const current = read();
    if (current === from) return all;
    from = current;
    all = { ...current, ...more };
    return all;
  };
}

interface FromPlugin {
  authorization?: string;
  cert?: string;
  key?: string;
}

/** Runs the plugin of a user once; a refresh of the connection runs it again. */
async function runPlugin(
  user: Entry,
  cluster: Entry,
  server: string,
  { ExecAuth, OpenIDConnectAuth }: ClientNode,
): Promise<FromPlugin> {
  const { exec, 'auth-provider': authProvider } = user.fields as { exec?: Fields; 'auth-provider'?: Fields };
  const described = {
    name: user.name,
    ...(isFields(exec) ? { exec: execOf(exec, user, cluster, server) } : {}),
    ...(isFields(authProvider) ? { authProvider: { config: {}, ...authProvider } } : {}),
  } as Parameters<InstanceType<ClientNode['ExecAuth']>['applyAuthentication']>[0];
  const plugin = [new ExecAuth(), new OpenIDConnectAuth()].find((each) => each.isAuthProvider(described));
  if (plugin === undefined)
    throw refuse(
      user,
      `has the auth-provider ${JSON.stringify(authProvider?.['name'] ?? '')}, and only oidc is supported, as in kubectl since 1.26`,
      'use the credential plugin (exec) that replaced it, such as gke-gcloud-auth-plugin or kubelogin',
    );
  const result: { headers: Record<string, string | undefined>; cert?: unknown; key?: unknown } = {
    headers: {},
  };
  const what = isFields(exec)
    ? `credential plugin ${JSON.stringify(exec['command'] ?? '')}`
    : 'auth-provider';
  try {
    await within(
      PLUGIN_MS,
      plugin.applyAuthentication(described, result as Parameters<typeof plugin.applyAuthentication>[1]),
    );
  } catch (error) {
    const hint = isFields(exec) ? textOf(exec['installHint'])?.split('\n')[0] : undefined;
    throw refuse(
      user,
      `cannot be authenticated: its ${what} failed: ${pluginReason(error)}`,
      hint ?? 'run that command by hand',
    );
  }
  const authorization = result.headers['Authorization'];
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof result.cert === 'string' ? { cert: result.cert } : {}),
    ...(typeof result.key === 'string' ? { key: result.key } : {}),
  };
}

/** The configuration of a plugin with KUBERNETES_EXEC_INFO, as client-go sets it, and with an absolute command path. */
function execOf(exec: Fields, user: Entry, cluster: Entry, server: string): Fields {
  const command = textOf(exec['command']) ?? '';
  const isRelative = command.includes('/') && !command.startsWith('/');
  const { fields } = cluster;
  const info = {
    apiVersion: exec['apiVersion'],
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(exec['provideClusterInfo'] === true
        ? {
            cluster: {
              server,
              ...pick(fields, 'tls-server-name', 'insecure-skip-tls-verify'),
              'certificate-authority-data': Buffer.from(trustOf(cluster) ?? '').toString('base64'),
            },
          }
        : {}),
    },
  };
  const env = Array.isArray(exec['env']) ? (exec['env'] as unknown[]) : [];
  return {
    ...exec,
    command: isRelative ? join(user.folder, command) : command,
    args: Array.isArray(exec['args']) ? exec['args'] : [],
    env: [{ name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }, ...env],
  };
}

function pick(fields: Readonly<Fields>, ...names: string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function pluginReason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'it is not installed';
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n')[0]?.slice(0, 300) || 'it printed no message';
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ms / 1000} s`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
