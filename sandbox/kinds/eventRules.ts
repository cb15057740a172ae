import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import type { SelectableFields } from '../api/selector.ts';
import { textAt } from '../store/value.ts';

const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** Selectable fields of Events; their names differ between the groups, the stored fields do not. */
function selectable(object: string, controller: string): SelectableFields {
  return {
    ...Object.fromEntries(about.map((name) => [`${object}.${name}`, textAt(['involvedObject', name])])),
    reason: textAt(['reason']),
    [controller]: textAt(['reportingComponent']),
    type: textAt(['type']),
  };
}

function source(event: KubeObject): string {
  return textAt(['source', 'component'])(event) || textAt(['reportingComponent'])(event);
}

/** Events of the core group. */
export const eventRules: KindRules = {
  createsOnUpdate: true,
  fields: { ...selectable('involvedObject', 'reportingComponent'), source },
};

/** Events of events.k8s.io in stored form. */
export const newEventRules: KindRules = {
  createsOnUpdate: true,
  fields: selectable('regarding', 'reportingController'),
};
