import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import type { Store } from '../store/store.ts';
import { fullName } from './imageName.ts';

/** The type of a Secret with the credentials of registries, and its key. */
const FORMS: Readonly<Record<string, string>> = {
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
  'kubernetes.io/dockercfg': '.dockercfg',
};
/** The name by which Docker's own files have its registry. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/**
 * Whether a pod has credentials for the registry of an image: some Secret of its `imagePullSecrets` names it. One that does not exist, or
 * is of another type, counts for nothing, as a kubelet skips it. Passwords are not compared.
 */
export function hasCredentials(store: Store, { metadata, spec }: Pod, image: string): boolean {
  const namespace = metadata.namespace ?? '';
  const { imagePullSecrets = [] } = spec as { imagePullSecrets?: { name?: string }[] };
  return imagePullSecrets.some(({ name = '' }) => {
    const secret = store.read('secrets', namespace, name);
    return secret !== undefined && registriesIn(secret).some((registry) => serves(registry, image));
  });
}

/** The registries that a Secret has credentials for, as it names them. */
function registriesIn(secret: KubeObject): string[] {
  const { type, data } = secret as { type?: string; data?: Record<string, string> };
  const key = FORMS[type ?? ''];
  if (key === undefined) return [];
  try {
    const read: unknown = JSON.parse(Buffer.from(data?.[key] ?? '', 'base64').toString('utf8'));
    const all = key === '.dockercfg' ? read : (read as { auths?: unknown } | null)?.auths;
    return typeof all === 'object' && all !== null ? Object.keys(all) : [];
  } catch {
    return [];
  }
}

function serves(registry: string, image: string): boolean {
  const host = fullName(image).split('/')[0] ?? '';
  if (registry === DOCKER_HUB) return host === 'docker.io';
  const named = registry.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return named === host || fullName(image).startsWith(`${named}/`);
}

/** What containerd says of a pull that the registry refuses. */
export function accessDenied(image: string): string {
  const name = fullName(image);
  return `rpc error: code = Unknown desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`;
}
