import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Unconnected } from './credentials-error.ts';

export { CredentialsError, type Unconnected } from './credentials-error.ts';

/** How an API server is reached, and as whom. */
export interface Connection {
  /** `https://host:port/base`, without a slash at the end. */
  readonly server: string;
  /** The namespace of the context, or the service account's own. */
  readonly namespace: string | undefined;
  /** Who asks, in words: `context prod`, `the service account of the pod`. */
  readonly user: string;
  /** What the connection is secured with; another object once credentials were refreshed and it changed. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The headers that say who asks; the same object as long as they do not change. `refresh`: the server did not take
   * them; whatever can be read or run anew is. Rejects with CredentialsError.
   */
  headers(refresh?: boolean): Promise<Headers>;
}

/** Names in lower case; of a list, each value is sent in a header of its own. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** PEM throughout. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

export interface ConnectionOptions {
  /** A file; the environment is not asked then. */
  kubeconfig?: string;
  context?: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Where a pod finds its service account. */
  serviceAccount?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the cluster: the file that was named; else those of KUBECONFIG; else, in a pod, its service account; else
 * `~/.kube/config`. A plugin that the file names for credentials is run.
 */
export async function loadConnection(options: ConnectionOptions): Promise<Connection | Unconnected> {
  const { kubeconfig, context, env, cwd } = options;
  const account = options.serviceAccount ?? SERVICE_ACCOUNT;
  const home = env['HOME'] ?? env['USERPROFILE'];
  const listed = (env['KUBECONFIG'] ?? '').split(process.platform === 'win32' ? ';' : ':').filter(Boolean);
  const isPod = Boolean(env['KUBERNETES_SERVICE_HOST']) && existsSync(join(account, 'token'));
  if (kubeconfig === undefined && listed.length === 0 && context === undefined && isPod) {
    const { accountConnection } = await import('./service-account.ts');
    return accountConnection(account, env);
  }
  const files =
    kubeconfig !== undefined
      ? [kubeconfig]
      : listed.length > 0
        ? listed
        : home === undefined
          ? []
          : [join(home, '.kube', 'config')];
  const { kubeconfigConnection } = await import('./kubeconfig.ts');
  return kubeconfigConnection({ files, named: kubeconfig !== undefined, context, cwd });
}
