import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnsupportedField } from '../kinds/fields.ts';
import { listOf, objectOf } from '../values/read.ts';

/** Fields that are injected, and not executed by updates yet: the images of hot pairs. */
export function unsupportedSidecarSetFields({ spec }: KubeObject): UnsupportedField[] {
  const { updateStrategy, containers } = objectOf(spec);
  if (objectOf(updateStrategy)['type'] === 'NotUpdate') return [];
  return listOf(containers).flatMap((each, index) =>
    objectOf(each['upgradeStrategy'])['upgradeType'] === 'HotUpgrade'
      ? [
          {
            path: ['spec', 'containers', String(index), 'upgradeStrategy', 'upgradeType'],
            what: 'hot upgrades of running pods, unless updateStrategy.type is NotUpdate',
          },
        ]
      : [],
  );
}
