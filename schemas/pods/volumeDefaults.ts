import type { Fields } from './fields.ts';
import { withDefaultsForEmpty, each, eachWithin, withDefaultsForAbsent, within } from './defaulting.ts';

/** Always for the tag `latest` and for images without tag and digest, else IfNotPresent. */
export function defaultPullPolicy(image: unknown): string {
  const name = typeof image === 'string' ? image : '';
  const tag = name.includes('@') ? '' : /:([^:/]+)$/.exec(name)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

const permissions = 0o644;

/** A field reference of an environment variable or volume. */
export function withFieldVersion(item: Fields): Fields {
  return within(item, ['fieldRef'], (ref) => withDefaultsForEmpty(ref, { apiVersion: 'v1' }));
}

/** Defaults of the sources common to pod volumes and PersistentVolumes. */
const shared: Readonly<Record<string, Fields>> = {
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** The sources of a PersistentVolume or of a pod volume. */
export function withSourceDefaults(sources: Fields): Fields {
  let result = sources;
  for (const [name, defaults] of Object.entries(shared))
    if (sources[name] !== undefined)
      result = within(result, [name], (source) =>
        name === 'hostPath'
          ? withDefaultsForAbsent(source, defaults)
          : withDefaultsForEmpty(source, defaults),
      );
  return result;
}

function withProjections(projected: Fields): Fields {
  return eachWithin(projected, ['sources'], (source) =>
    within(
      within(source, ['serviceAccountToken'], (token) =>
        withDefaultsForEmpty(token, { expirationSeconds: 3600 }),
      ),
      ['downwardAPI'],
      (downward) => eachWithin(downward, ['items'], withFieldVersion),
    ),
  );
}

const withMode = (source: Fields): Fields => withDefaultsForAbsent(source, { defaultMode: permissions });

/** A pod volume; emptyDir by default. */
export function withVolumeDefaults(volume: Fields): Fields {
  if (Object.keys(volume).every((key) => key === 'name')) return { ...volume, emptyDir: {} };
  let result = within(volume, ['configMap', 'secret'], withMode);
  result = within(result, ['projected'], (source) => withMode(withProjections(source)));
  result = within(result, ['downwardAPI'], (source) => ({
    ...withMode(source),
    ...(source['items'] === undefined ? {} : { items: each(source['items'], withFieldVersion) }),
  }));
  result = within(result, ['ephemeral'], (source) =>
    within(source, ['volumeClaimTemplate'], (template) =>
      within(template, ['spec'], (spec) => withDefaultsForAbsent(spec, { volumeMode: 'Filesystem' })),
    ),
  );
  result = within(result, ['image'], (source) =>
    withDefaultsForEmpty(source, { pullPolicy: defaultPullPolicy(source['reference']) }),
  );
  return withSourceDefaults(result);
}
