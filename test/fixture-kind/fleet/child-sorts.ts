import type { JsonObject } from '../../../schemas/wire/json.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import type { PlannedKind } from '../../../semantics/kinds/kind.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { rackKind } from '../kind.ts';
import { type ChildSort, SUBSET_LABEL } from './spec.ts';

/** What a child is to be. */
export interface ChildParts {
  subset: string;
  size: number;
  partition: number;
  template: JsonObject;
}

/** A kind of children, and the spec of one. */
interface Sort {
  kind: PlannedKind;
  specOf(parts: ChildParts): JsonObject;
}

const selectorOf = (subset: string): JsonObject => ({ matchLabels: { [SUBSET_LABEL]: subset } });
/** Only the share limits it. */
const UNLIMITED = '100%';

export const childSorts: Readonly<Record<ChildSort, Sort>> = {
  Rack: {
    kind: rackKind,
    specOf: ({ size, partition, template }) => ({ slots: size, partition, template }),
  },
  CloneSet: {
    kind: cloneSetKind,
    specOf: ({ subset, size, partition, template }) => ({
      replicas: size,
      selector: selectorOf(subset),
      template,
      updateStrategy: { rollingUpdate: { partition, maxUnavailable: UNLIMITED } },
    }),
  },
  StatefulSet: {
    kind: statefulSetKind,
    specOf: ({ subset, size, partition, template }) => ({
      replicas: size,
      serviceName: subset,
      selector: selectorOf(subset),
      template,
      podManagementPolicy: 'Parallel',
      updateStrategy: { rollingUpdate: { partition, maxUnavailable: UNLIMITED } },
    }),
  },
};
