import type { KubeObject } from '../../schemas/wire/object.ts';
import { cloneSetLimits } from '../cloneset/limits.ts';
import type { KindLimits } from '../limits/window.ts';
import { childInGit } from './child.ts';
import { normalizeUnited } from './normalize.ts';

const TEMPLATE = ['spec', 'template', 'cloneSetTemplate'];

/** How many pods of all children together change at once: as the template has it for each of them, which holds as well. */
export const unitedLimits: KindLimits = {
  windowFields: (target: KubeObject) =>
    cloneSetLimits.windowFields(childInGit(target, normalizeUnited(target))),
  inUnits: cloneSetLimits.inUnits,
  order: cloneSetLimits.order.map((path) => [...TEMPLATE, ...path]),
  minReadySeconds: [...TEMPLATE, 'spec', 'minReadySeconds'],
};
