import type { Kind } from '../../semantics/kinds/kind.ts';
import { SHORT_HASH_LABEL } from '../../semantics/pod/types.ts';
import type { ContainerMark, GateMark, SpellingMark } from '../../semantics/kinds/need.ts';

/** What stays of the metadata of pods that are not our own. */
const SAME = ['labels', 'finalizers', 'ownerReferences'];

/** Formats a list in CEL. */
export const list = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/**
 * A CEL expression: whether in a pod that a target selects nothing changes but what a kind says that it changes, whoever controls
 * the pod. `patched` are annotations that an administrator allows.
 */
export function isSelected(kinds: readonly Kind[]): string {
  const marks = kinds.flatMap(({ uses }) =>
    uses.flatMap((use) => (use.of === 'SelectedPods' && use.mark !== undefined ? [use.mark] : [])),
  );
  const ofContainers = marks.filter((mark) => mark.of === 'containers');
  const gates = marks.filter((mark) => mark.of === 'gates');
  const annotations = marks.flatMap((mark) =>
    mark.of === 'annotations' || mark.of === 'gates' ? mark.records : [],
  );
  const spellings = marks.filter((mark) => mark.of === 'spellings');
  const ways = [
    ...spellings.map(spellsAnew),
    ...gates.flatMap((mark) => [lifts(mark), givesUp(mark)]),
    ...(ofContainers.length === 0 ? [] : [changesContainers(ofContainers)]),
    ...(annotations.length === 0
      ? []
      : [[...CHANGES_A_POD, ...changesAnnotations(annotations)].join(' && ')]),
  ];
  const [only] = ways;
  if (only === undefined) return 'false';
  return ways.length === 1 ? only : ways.map((way) => `(${way})`).join(' || ');
}

/** A CEL expression: whether images of marked containers change in a pod, its records, and conditions. */
function changesContainers(marks: readonly ContainerMark[]): string {
  const common = [
    "request.resource.resource == 'pods'",
    "request.operation == 'UPDATE'",
    `oldObject.metadata.?annotations.orValue({}).exists(key, key in ${list(marks.map(({ annotation }) => annotation))})`,
    ...SAME.map((field) => `object.metadata.?${field} == oldObject.metadata.?${field}`),
  ].join(' && ');
  const variables = list(marks.map(({ variable }) => variable));
  const isMarked = `same.?env.orValue([]).exists(variable, variable.name in ${variables})`;
  const containers = ['containers', 'initContainers'].map(
    (field) =>
      `object.spec.?${field}.orValue([]).all(each, oldObject.spec.?${field}.orValue([]).exists(same, same.name == each.name && (each.image == same.image || ${isMarked})))`,
  );
  const known = [
    `key in ${list(marks.flatMap(({ records }) => records))}`,
    ...marks.flatMap(({ prefixes }) => prefixes.map((prefix) => `key.startsWith('${prefix}')`)),
    'key in variables.patched',
  ].join(' || ');
  const annotations = (side: string): string => `${side}.metadata.?annotations.orValue({})`;
  const written = [
    "object.spec.all(key, key in ['containers', 'initContainers'] || (key in oldObject.spec && object.spec[key] == oldObject.spec[key]))",
    "oldObject.spec.all(key, key in ['containers', 'initContainers'] || key in object.spec)",
    ...containers,
    `${annotations('object')}.all(key, ${known} || oldObject.metadata.?annotations[?key].orValue('') == object.metadata.annotations[key])`,
    `${annotations('oldObject')}.all(key, ${known} || key in ${annotations('object')})`,
  ].join(' && ');
  const conditions = (side: string): string =>
    `${side}.?status.?conditions.orValue([]).filter(each, !(each.type in ${list(marks.flatMap((mark) => mark.conditions))}))`;
  const reported = [
    `${annotations('object')} == ${annotations('oldObject')}`,
    "object.?status.orValue({}).all(key, key == 'conditions' || (key in oldObject.?status.orValue({}) && object.status[key] == oldObject.status[key]))",
    "oldObject.?status.orValue({}).all(key, key == 'conditions' || key in object.?status.orValue({}))",
    `${conditions('object')} == ${conditions('oldObject')}`,
  ].join(' && ');
  const subresource = "request.?subResource.orValue('')";
  return `${common} && ((${subresource} == '' && ${written}) || (${subresource} == 'status' && ${reported}))`;
}

/**
 * A CEL expression: whether containers of a pod get another name for the image that runs, which ends in the digest that the node reports
 * of it, with a record, or its conditions change.
 */
function spellsAnew({ record, conditions }: SpellingMark): string {
  const status = 'oldObject.?status.?containerStatuses.orValue([])';
  const id = "status.?imageID.orValue('')";
  const isSame = `${status}.exists(status, status.name == each.name && ${id}.matches('@sha256:[0-9a-f]{64}$') && each.image.endsWith(${id}.substring(${id}.lastIndexOf('@'))))`;
  const written = [
    "request.?subResource.orValue('') == ''",
    "object.spec.all(key, key == 'containers' || (key in oldObject.spec && object.spec[key] == oldObject.spec[key]))",
    "oldObject.spec.all(key, key == 'containers' || key in object.spec)",
    `object.spec.containers.all(each, oldObject.spec.containers.exists(same, same.name == each.name && (each.image == same.image || ${isSame})))`,
    ...otherAnnotations([record]),
  ].join(' && ');
  // Readiness is ended, and given back by the kubelet.
  const ended =
    "object.status.conditions.all(each, each.type != 'Ready' || each.status == 'False' || oldObject.status.conditions.exists(same, same == each))";
  const others = (side: string): string =>
    `${side}.?status.?conditions.orValue([]).filter(each, !(each.type in ${list([...conditions, 'Ready'])}))`;
  const reported = [
    "request.?subResource.orValue('') == 'status'",
    "object.?status.orValue({}).all(key, key == 'conditions' || (key in oldObject.?status.orValue({}) && object.status[key] == oldObject.status[key]))",
    "oldObject.?status.orValue({}).all(key, key == 'conditions' || key in object.?status.orValue({}))",
    `oldObject.spec.?readinessGates.orValue([]).exists(gate, gate.conditionType in ${list(conditions)})`,
    `${others('object')} == ${others('oldObject')}`,
    ended,
    ...otherAnnotations([]),
  ].join(' && ');
  return [
    "request.resource.resource == 'pods'",
    "request.operation == 'UPDATE'",
    ...SAME.map((field) => `object.metadata.?${field} == oldObject.metadata.?${field}`),
    `((${written}) || (${reported}))`,
  ].join(' && ');
}

/**
 * A CEL expression: whether a pod with this gate loses it, and nothing else changes but where it may run, its labels and annotations. The
 * server itself lets no such pod run where it might not before.
 */
function lifts({ gate }: GateMark): string {
  const fields = list(['tolerations', 'affinity', 'schedulingGates']);
  const hash = (side: string): string =>
    `${side}.metadata.?labels.orValue({})[?'${SHORT_HASH_LABEL}'].orValue('')`;
  return [
    ...CHANGES_A_POD,
    `oldObject.spec.?schedulingGates.orValue([]).exists(each, each.name == '${gate}')`,
    `object.spec.?schedulingGates.orValue([]) == oldObject.spec.?schedulingGates.orValue([]).filter(each, each.name != '${gate}')`,
    `object.spec.all(key, key in ${fields} || (key in oldObject.spec && object.spec[key] == oldObject.spec[key]))`,
    `oldObject.spec.all(key, key in ${fields} || key in object.spec)`,
    'oldObject.spec.?tolerations.orValue([]).all(each, each in object.spec.?tolerations.orValue([]))',
    ...['podAffinity', 'podAntiAffinity'].map(
      (field) => `object.spec.?affinity.?${field} == oldObject.spec.?affinity.?${field}`,
    ),
    ...['finalizers', 'ownerReferences'].map(
      (field) => `object.metadata.?${field} == oldObject.metadata.?${field}`,
    ),
    `${hash('object')} == ${hash('oldObject')}`,
  ].join(' && ');
}

/** A CEL expression: whether a pod is deleted that was given a place, and got no node there. */
function givesUp({ records: [placed] }: GateMark): string {
  return [
    "request.resource.resource == 'pods'",
    "request.operation == 'DELETE'",
    `'${placed}' in oldObject.metadata.?annotations.orValue({})`,
    "oldObject.spec.?nodeName.orValue('') == ''",
  ].join(' && ');
}

/**
 * A CEL expression: whether nothing of a target changes but these of its own metadata, of a kind whose targets are marked. Its finalizers
 * are of its own, or stay.
 */
export function isOwnMark(kinds: readonly Kind[]): string {
  const ways = kinds.flatMap(({ resource, uses }) =>
    uses.flatMap((use) => {
      if (use.of !== 'Itself') return [];
      const same = (field: string, keys: readonly string[]): string[] => {
        const [before, after] = ['oldObject', 'object'].map(
          (side) => `${side}.metadata.?${field}.orValue({})`,
        );
        const own = keys.length === 0 ? '' : `key in ${list(keys)} || `;
        return [
          `${after}.all(key, ${own}${before}[?key].orValue('') == ${after}[key])`,
          `${before}.all(key, ${own}key in ${after})`,
        ];
      };
      const finalizers = (side: string): string =>
        `${side}.metadata.?finalizers.orValue([]).filter(each, !(each in ${list(use.finalizers)}))`;
      return [
        [
          `request.resource.resource == '${resource.plural}'`,
          "request.operation == 'UPDATE'",
          'object.spec == oldObject.spec',
          'object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences',
          ...same('labels', use.labels),
          ...same('annotations', use.annotations),
          `${finalizers('object')} == ${finalizers('oldObject')}`,
        ].join(' && '),
      ];
    }),
  );
  return ways.length === 0 ? 'false' : ways.map((way) => `(${way})`).join(' || ');
}

/** CEL expressions: whether a pod is changed, and not by a subresource. */
export const CHANGES_A_POD: readonly string[] = [
  "request.resource.resource == 'pods'",
  "request.?subResource.orValue('') == ''",
  "request.operation == 'UPDATE'",
];

/** CEL expressions: whether nothing of an object changes but annotations of these keys. */
export function changesAnnotations(keys: readonly string[]): string[] {
  return [
    'object.spec == oldObject.spec',
    ...SAME.map((field) => `object.metadata.?${field} == oldObject.metadata.?${field}`),
    ...otherAnnotations(keys),
  ];
}

/** CEL expressions: whether annotations of other keys stay. */
function otherAnnotations(keys: readonly string[]): string[] {
  const annotations = (side: string): string => `${side}.metadata.?annotations.orValue({})`;
  const others = `key in ${list(keys)} ||`;
  return [
    `${annotations('object')}.all(key, ${others} oldObject.metadata.?annotations[?key].orValue('') == object.metadata.annotations[key])`,
    `${annotations('oldObject')}.all(key, ${others} key in ${annotations('object')})`,
  ];
}
