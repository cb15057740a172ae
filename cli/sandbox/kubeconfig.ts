import { parse } from 'yaml';
import type { Refusal } from '../command/refusal.ts';
import type { Host, Machine } from '../host.ts';
import type { NamedPath } from './options.ts';

/** What cluster, user and context are called; by the cluster's name a file is known as ours, whoever wrote it last. */
const NAME = 'kruise-sandbox';
const FIRST_LINE = '# Made by kruise sandbox, and removed when it stops.';

export interface Access {
  /** `http://127.0.0.1:40123` */
  url: string;
  token: string;
  /** What vouches for an https address, as PEM. */
  certificate: string | undefined;
}

/**
 * The kubeconfig of a sandbox. kubectl sends no token to a server without TLS, but it sends what stands in the URL;
 * other clients, and kubectl with TLS, take the token.
 */
export function kubeconfigText({ url, token, certificate }: Access, pid: number): string {
  const server = certificate === undefined ? url.replace('://', `://kruise:${token}@`) : url;
  const authority =
    certificate === undefined
      ? ''
      : `\n      certificate-authority-data: ${Buffer.from(certificate).toString('base64')}`;
  return `${FIRST_LINE}
apiVersion: v1
kind: Config
current-context: ${NAME}
clusters:
  - name: ${NAME}
    cluster:
      server: ${server}${authority}
      extensions:
        - name: ${NAME}
          extension: { process: ${pid} }
contexts:
  - name: ${NAME}
    context: { cluster: ${NAME}, user: ${NAME}, namespace: default }
users:
  - name: ${NAME}
    user: { token: ${token} }
`;
}

/** The process that a kubeconfig of ours was made by; undefined when it is somebody else's. kubectl may have rewritten it. */
function processOf(text: string): number | undefined {
  let value: unknown;
  try {
    value = parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
  const clusters = fieldOf(value, 'clusters');
  if (!Array.isArray(clusters) || clusters.length !== 1) return undefined;
  const [cluster] = clusters as unknown[];
  if (fieldOf(cluster, 'name') !== NAME) return undefined;
  const extensions = fieldOf(fieldOf(cluster, 'cluster'), 'extensions');
  if (!Array.isArray(extensions)) return undefined;
  const own = (extensions as unknown[]).find((each) => fieldOf(each, 'name') === NAME);
  const pid = fieldOf(fieldOf(own, 'extension'), 'process');
  return typeof pid === 'number' ? pid : undefined;
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** Why the kubeconfig must not be written there; undefined when it may. */
export function kubeconfigRefusal(
  host: Host,
  machine: Machine,
  { path, shown }: NamedPath,
): Refusal | undefined {
  const there = host.inspect(path);
  if (there === undefined) return undefined;
  const help = 'name another file with --kubeconfig';
  if (there.kind !== 'file') return { problem: `${shown} is no file`, help };
  const pid = processOf(new TextDecoder().decode(host.readFile(path)));
  if (pid === undefined) return { problem: `${shown} is there, and it is no kubeconfig of a sandbox`, help };
  if (pid === machine.pid || !machine.isAlive(pid)) return undefined;
  return { problem: `${shown} belongs to a sandbox that runs (process ${pid})`, help };
}

/** Writes the kubeconfig. What stood there when it was asked about may be another's by now: then it is left. */
export function writeKubeconfig(
  host: Host,
  machine: Machine,
  at: NamedPath,
  access: Access,
): { remove(): void } | Refusal {
  const text = kubeconfigText(access, machine.pid);
  if (!machine.createPrivate(at.path, text)) {
    const refusal = kubeconfigRefusal(host, machine, at);
    if (refusal !== undefined) return refusal;
    machine.replacePrivate(at.path, text);
  }
  return {
    remove() {
      if (host.inspect(at.path)?.kind !== 'file') return;
      if (processOf(new TextDecoder().decode(host.readFile(at.path))) === machine.pid)
        machine.remove(at.path);
    },
  };
}
