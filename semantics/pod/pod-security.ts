import type { JsonObject } from '../../schemas/wire/json.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';

/** A level of the Pod Security Standards that refuses pods. */
export type SecurityLevel = 'baseline' | 'restricted';

/** What of a container or volume a level refuses, whatever the rest of the pod has. */
export interface SecurityBreach {
  /** In the template. */
  path: string[];
  /** `container mesh`, `volume logs` */
  what: string;
  /** By the least level that refuses it; restricted has the rules of baseline, too. */
  reasons: Readonly<Record<SecurityLevel, readonly string[]>>;
}

/** Capabilities that baseline lets a container add (Pod Security Standards, v1.35). */
const BASELINE_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

const RESTRICTED_VOLUMES: readonly string[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/**
 * The containers of a template, and the volumes that they mount, that the Pod Security Standards refuse in every pod. What the
 * security context of the pod may give a container, such as `seccompProfile`, is not judged: it is not in the template.
 */
export function securityBreaches(template: JsonObject): SecurityBreach[] {
  const spec = objectOf(template['spec']);
  const lists = ['initContainers', 'containers'].map((list) => ({ list, containers: listOf(spec[list]) }));
  const mounted = new Set(
    lists.flatMap(({ containers }) =>
      containers.flatMap(({ volumeMounts }) => listOf(volumeMounts).map(({ name }) => name)),
    ),
  );
  const volumes = listOf(spec['volumes']).flatMap((volume, index) =>
    mounted.has(volume['name']) ? breach(['spec', 'volumes', String(index)], 'volume', volume, ofVolume) : [],
  );
  return [
    ...lists.flatMap(({ list, containers }) =>
      containers.flatMap((each, index) =>
        breach(['spec', list, String(index)], 'container', each, ofContainer),
      ),
    ),
    ...volumes,
  ];
}

function breach(
  path: string[],
  noun: string,
  item: JsonObject,
  judge: (item: JsonObject) => SecurityBreach['reasons'],
): SecurityBreach[] {
  const reasons = judge(item);
  if (reasons.baseline.length + reasons.restricted.length === 0) return [];
  return [{ path, what: `${noun} ${textOf(item['name'])}`, reasons }];
}

function ofContainer(container: JsonObject): SecurityBreach['reasons'] {
  const security = objectOf(container['securityContext']);
  const { add, drop } = objectOf(security['capabilities']);
  const added = Array.isArray(add) ? add.filter((each) => typeof each === 'string') : [];
  const ports = listOf(container['ports']).map(({ hostPort }) => numberOf(hostPort) ?? 0);
  const beyond = added.filter((each) => !BASELINE_CAPABILITIES.includes(each));
  const other = added.filter((each) => !beyond.includes(each) && each !== 'NET_BIND_SERVICE');
  return {
    baseline: [
      ...(security['privileged'] === true ? ['privileged is true'] : []),
      ...beyond.map((each) => `it adds the capability ${each}`),
      ...ports.filter((port) => port > 0).map((port) => `hostPort is ${port}`),
    ],
    restricted: [
      ...(security['allowPrivilegeEscalation'] === false ? [] : ['allowPrivilegeEscalation is not false']),
      ...(Array.isArray(drop) && drop.includes('ALL') ? [] : ['it does not drop the capability ALL']),
      ...other.map((each) => `it adds the capability ${each}`),
      ...(security['runAsNonRoot'] === false ? ['runAsNonRoot is false'] : []),
      ...(security['runAsUser'] === 0 ? ['runAsUser is 0'] : []),
    ],
  };
}

function ofVolume(volume: JsonObject): SecurityBreach['reasons'] {
  const type = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
  return {
    baseline: type === 'hostPath' ? ['it is a hostPath'] : [],
    restricted: type === 'hostPath' || RESTRICTED_VOLUMES.includes(type) ? [] : [`it is of the type ${type}`],
  };
}
