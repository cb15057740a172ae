import { HELD_CONDITION, UNCOUNTED_REASONS } from '../plan/held-condition.ts';
import type { MatchCondition, PodPolicy } from '../kinds/admission.ts';
import { TRUE_VALUES } from './coverage.ts';
import { MAPS } from './entries.ts';
import { COUNTED_REASONS } from './influence.ts';
import { USUAL_OPERATIONS } from './normalize.ts';
import {
  LINK_ANNOTATIONS,
  NO_PROTECT_ANNOTATION,
  OPERATIONS_ANNOTATION,
  READ_ANNOTATIONS,
  UNAVAILABLE_LABEL_PREFIX,
} from './resource.ts';

const list = (texts: Iterable<string>): string => `[${[...texts].map((text) => `'${text}'`).join(', ')}]`;
const labelsOf = (side: string): string => `${side}.metadata.?labels.orValue({})`;

/** The budget that a pod names; '': none. As `linkedBudget` reads it. */
function linkOf(side: string): string {
  const [first, second] = LINK_ANNOTATIONS.map((key) => `${side}.metadata.?annotations[?'${key}']`);
  return `${first}.orValue(${second}.orValue(''))`;
}

/** Whether labels match a selector. A value without a key is none of the values. */
function matches(selector: string, labels = 'variables.labels'): string {
  const has = `term.key in ${labels}`;
  const isAmong = `${labels}[term.key] in term.?values.orValue([])`;
  return [
    `${selector}.?matchLabels.orValue({}).all(key, key in ${labels} && ${labels}[key] == ${selector}.matchLabels[key])`,
    `${selector}.?matchExpressions.orValue([]).all(term, ${[
      `term.operator == 'Exists' ? ${has}`,
      `term.operator == 'DoesNotExist' ? !(${has})`,
      `term.operator == 'In' ? ${has} && ${isAmong}`,
      `!(${has}) || !(${isAmong})`,
    ].join(' : ')})`,
  ].join(' && ');
}

const isOutOfTraffic = (side: string): string =>
  `${labelsOf(side)}.exists(key, key.startsWith('${UNAVAILABLE_LABEL_PREFIX}'))`;

const isUpdate = "request.operation == 'UPDATE'";
/** A pod with other labels may leave its budget: the selector says whether it does. */
const relabels = `${labelsOf('object')} != ${labelsOf('oldObject')}`;
/** A resize does not change the rest of a spec. */
const changes = `(object.spec != oldObject.spec || (${isOutOfTraffic('object')} && !${isOutOfTraffic('oldObject')}))`;

/** Whether a resize restarts a container: `resizePolicy` of what changes. */
function restarts(): string {
  const containersOf = (side: string): string =>
    `(${side}.spec.containers + ${side}.spec.?initContainers.orValue([]))`;
  const differs = ['requests', 'limits'].map(
    (field) =>
      `after.?resources.?${field}[?rule.resourceName].orValue('') != before.?resources.?${field}[?rule.resourceName].orValue('')`,
  );
  const rule = `rule.restartPolicy == 'RestartContainer' && (${differs.join(' || ')})`;
  return `${containersOf('object')}.exists(after, ${containersOf('oldObject')}.exists(before, before.name == after.name && after.?resizePolicy.orValue([]).exists(rule, ${rule})))`;
}

/** The pod itself says that it takes no slot. */
const isUnprotected = `oldObject.metadata.?annotations[?'${NO_PROTECT_ANNOTATION}'].orValue('') in ${list(TRUE_VALUES)}`;

const isTrue = (type: string): string =>
  `oldObject.?status.?conditions.orValue([]).exists(each, each.type == '${type}' && each.status == 'True')`;

/** Whether a pod is available, as far as an expression tells. */
const isReady = `oldObject.?status.?phase.orValue('') == 'Running' && ${isTrue('Ready')} && !${isOutOfTraffic('oldObject')}`;

/** A pod of the same name that was created later has no slot. */
const hasEntry = (map: string): string =>
  `(oldObject.metadata.name in params.?status.?${map}.orValue({}) && string(params.status.${map}[oldObject.metadata.name]) >= string(oldObject.metadata.creationTimestamp))`;

const title = "'PodUnavailableBudget ' + params.metadata.name + ' protects pod ' + oldObject.metadata.name";

/** About other requests neither the policy nor a webhook is asked. */
const REQUEST_CONDITIONS: readonly MatchCondition[] = [
  { name: 'is-linked', expression: `${linkOf('oldObject')} != ''` },
  {
    name: 'takes-a-slot-or-changes-the-link',
    expression: `request.operation == 'DELETE' || ${changes} || ${relabels} || ${linkOf('object')} != ${linkOf('oldObject')}`,
  },
];

/** About other requests no webhook is asked: a review lets them pass whatever the budget says, and so must an outage of it. */
export const REVIEW_CONDITIONS: readonly MatchCondition[] = [
  ...REQUEST_CONDITIONS,
  {
    name: 'is-available-or-changes-the-link',
    expression: `(${isReady} && !(${isUnprotected})) || (${isUpdate} && ${linkOf('object')} != ${linkOf('oldObject')})`,
  },
];

/**
 * What an API server refuses by the status of a budget (OpenKruise podunavailablebudget, rules 6.2 and 12.2). It takes no slot: requests at
 * the same time see the same number. Evictions are not asked about: their request shows no pod.
 */
export const budgetPolicy: PodPolicy = {
  name: 'unavailable-budgets',
  conditions: REQUEST_CONDITIONS,
  variables: [
    { name: 'labels', expression: labelsOf('oldObject') },
    { name: 'labelsAfter', expression: `${isUpdate} ? ${labelsOf('object')} : {}` },
    // Of a workload the link alone tells: an expression cannot look owners up.
    {
      name: 'isCovered',
      expression: `${linkOf('oldObject')} == params.metadata.name && (!has(params.spec.selector) || (${matches('params.spec.selector')}))`,
    },
    {
      name: 'isExempt',
      expression: `${isUnprotected} || (has(params.spec.ignoredPodSelector) && ${matches('params.spec.ignoredPodSelector')})`,
    },
    {
      name: 'leaves',
      expression: `${isUpdate} && request.?subResource.orValue('') == '' && has(params.spec.selector) && ${relabels} && !(${matches('params.spec.selector', 'variables.labelsAfter')})`,
    },
    { name: 'isEnding', expression: 'has(namespaceObject.metadata.deletionTimestamp)' },
    {
      name: 'operation',
      expression: `request.operation == 'DELETE' ? 'DELETE' : request.?subResource.orValue('') == 'resize' ? (${restarts()} ? 'UPDATE' : 'RESIZE') : ${changes} || variables.leaves ? 'UPDATE' : ''`,
    },
    {
      name: 'listed',
      expression: `params.spec.?protectOperations.orValue([]).size() > 0 ? params.spec.protectOperations : params.metadata.?annotations[?'${OPERATIONS_ANNOTATION}'].orValue('').split(',').map(each, each.trim()).filter(each, each != '')`,
    },
    {
      name: 'isProtected',
      expression: `variables.operation in (variables.listed.size() > 0 ? variables.listed : ${list(USUAL_OPERATIONS)})`,
    },
    { name: 'isReady', expression: isReady },
    { name: 'hasSlot', expression: MAPS.map(hasEntry).join(' || ') },
    // Those that were never counted stop nothing, also where they are held as invalid since they were made.
    {
      name: 'isKnown',
      expression: `params.?status.?observedGeneration.hasValue() && !(params.status.observedGeneration == 1 && params.?status.?totalReplicas.orValue(0) == 0 && params.?status.?conditions.orValue([]).exists(each, each.type == '${HELD_CONDITION}' && each.status == 'True' && each.?reason.orValue('') in ${list(UNCOUNTED_REASONS)}) && !(${READ_ANNOTATIONS.map((key) => `params.metadata.?annotations[?'${key}'].hasValue()`).join(' || ')}))`,
    },
    {
      name: 'isCounted',
      expression: `params.?status.?observedGeneration.orValue(0) == params.metadata.generation && !params.?status.?conditions.orValue([]).exists(each, each.type == '${HELD_CONDITION}' && each.status == 'True' && !(each.?reason.orValue('') in ${list(COUNTED_REASONS)}))`,
    },
    { name: 'least', expression: 'params.?status.?desiredAvailable.orValue(0)' },
    { name: 'left', expression: 'params.?status.?unavailableAllowed.orValue(0)' },
  ],
  validations: [
    {
      expression:
        '!variables.isProtected || !variables.isCovered || variables.isExempt || variables.isEnding || !variables.isReady || variables.hasSlot || !variables.isKnown || (variables.isCounted && (variables.least == 0 || variables.left > 0))',
      messageExpression: `${title} + (variables.isCounted ? ': ' + string(variables.least) + ' must stay available, and no more may become unavailable now' : ': its pods are not counted, see its status')`,
    },
    {
      expression: `!(${isUpdate}) || request.?subResource.orValue('') != '' || !variables.isCovered || variables.isEnding || ${linkOf('object')} == params.metadata.name`,
      messageExpression: `${title} + ': leave its annotation ${LINK_ANNOTATIONS[0]} as it is'`,
    },
  ],
};
