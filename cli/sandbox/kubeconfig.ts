import { kubeconfigText, type Access } from 'kruise-sandbox/http';
import { parse } from 'yaml';
import type { Refusal } from '../command/refusal.ts';
import type { Host, Machine } from '../host.ts';
import type { NamedPath } from './options.ts';

/** The name of cluster and extension, which identifies a kubeconfig of a sandbox even after kubectl rewrote it. */
const NAME = 'kruise-sandbox';
const FIRST_LINE = '# Made by kruise sandbox, and removed when it stops.';

/** The process that wrote a kubeconfig of a sandbox; undefined for any other kubeconfig. kubectl may have rewritten it. */
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

/** Why the kubeconfig must not be written to that path; undefined if it may. */
export function kubeconfigRefusal(
  host: Host,
  machine: Machine,
  { path, shown }: NamedPath,
): Refusal | undefined {
  const existing = host.inspect(path);
  if (existing === undefined) return undefined;
  const help = 'use another file with --kubeconfig';
  if (existing.kind !== 'file') return { problem: `${shown} is not a file`, help };
  const pid = processOf(new TextDecoder().decode(host.readFile(path)));
  if (pid === undefined) return { problem: `${shown} exists and is not a kubeconfig of a sandbox`, help };
  if (pid === machine.pid || !machine.isAlive(pid)) return undefined;
  return { problem: `${shown} belongs to a running sandbox (process ${pid})`, help };
}

/** Writes the kubeconfig. Checks again what it replaces, because another process may have written it since the first check. */
export function writeKubeconfig(
  host: Host,
  machine: Machine,
  at: NamedPath,
  access: Access,
): { remove(): void } | Refusal {
  const text = `${FIRST_LINE}\n${kubeconfigText(access, { process: machine.pid })}`;
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
