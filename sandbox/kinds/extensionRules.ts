import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { eachWithin, withDefaultsForAbsent, within } from '../../schemas/pods/defaulting.ts';
import { specDefaults } from './defaulting.ts';

/** The warning for kinds that are stored but have no effect here. */
function inert(what: string): NonNullable<KindRules['warnings']> {
  return () => [`this is a sandbox: ${what}`];
}

const withPort = (reference: Fields): Fields => withDefaultsForAbsent(reference, { port: 443 });

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isFields) : [];
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}

const withScope = (rule: Fields): Fields => withDefaultsForAbsent(rule, { scope: '*' });

function withWebhookDefaults(webhook: Fields, defaults: Fields): Fields {
  const called = within(webhook, ['clientConfig'], (client) => within(client, ['service'], withPort));
  return withDefaultsForAbsent(eachWithin(called, ['rules'], withScope), {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...defaults,
  });
}

/** An enum value. */
function checkValue(path: string, value: unknown, values: readonly string[]): FieldError[] {
  return typeof value !== 'string' || values.includes(value) ? [] : [field.notSupported(path, value, values)];
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function checkRule(rule: Fields, path: string): FieldError[] {
  const missing = ['operations', 'apiGroups', 'apiVersions', 'resources']
    .filter((name) => isEmpty(rule[name]))
    .map((name) => field.required(`${path}.${name}`));
  const asked = Array.isArray(rule['operations']) ? (rule['operations'] as unknown[]) : [];
  return [
    ...missing,
    ...asked.flatMap((each, index) => checkValue(`${path}.operations[${index}]`, each, operations)),
    ...checkValue(`${path}.scope`, rule['scope'], ['*', 'Cluster', 'Namespaced']),
  ];
}

const knownReviews = ['v1', 'v1beta1'];

function checkReviews(versions: unknown, path: string): FieldError[] {
  if (isEmpty(versions)) return [field.required(path, `must specify one of ${knownReviews.join(', ')}`)];
  const listed = versions as unknown[];
  return knownReviews.some((version) => listed.includes(version))
    ? []
    : [field.invalid(path, versions, `must include at least one of ${knownReviews.join(', ')}`)];
}

function checkWebhook(webhook: Fields, path: string): FieldError[] {
  const { name, sideEffects, timeoutSeconds: seconds, clientConfig } = webhook;
  const { url, service } = isFields(clientConfig) ? clientConfig : {};
  return [
    ...(String(name).split('.').length < 3
      ? [
          field.invalid(
            `${path}.name`,
            name,
            'should be a domain with at least three segments separated by dots',
          ),
        ]
      : []),
    ...listOf(webhook['rules']).flatMap((rule, index) => checkRule(rule, `${path}.rules[${index}]`)),
    ...checkValue(`${path}.failurePolicy`, webhook['failurePolicy'], ['Fail', 'Ignore']),
    ...checkValue(`${path}.matchPolicy`, webhook['matchPolicy'], ['Equivalent', 'Exact']),
    ...(sideEffects === undefined
      ? [field.required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun')]
      : checkValue(`${path}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun'])),
    ...(typeof seconds === 'number' && (seconds < 1 || seconds > 30)
      ? [
          field.invalid(
            `${path}.timeoutSeconds`,
            seconds,
            'the timeout value must be between 1 and 30 seconds',
          ),
        ]
      : []),
    ...((url === undefined) === (service === undefined)
      ? [field.required(`${path}.clientConfig`, 'exactly one of url or service is required')]
      : []),
    ...checkReviews(webhook['admissionReviewVersions'], `${path}.admissionReviewVersions`),
    ...checkValue(`${path}.reinvocationPolicy`, webhook['reinvocationPolicy'], ['IfNeeded', 'Never']),
  ];
}

function webhookRules(defaults: Fields): KindRules {
  return {
    needsRevision: true,
    defaults: (object) =>
      eachWithin(object, ['webhooks'], (webhook) => withWebhookDefaults(webhook, defaults)) as KubeObject,
    check(object) {
      const webhooks = listOf(object['webhooks']);
      return webhooks.flatMap((webhook, index) => {
        const path = `webhooks[${index}]`;
        const isRepeated = webhooks.findIndex(({ name }) => name === webhook['name']) < index;
        return [
          ...checkWebhook(webhook, path),
          ...(isRepeated ? [field.duplicate(`${path}.name`, webhook['name'])] : []),
        ];
      });
    },
    warnings: inert('no webhook is ever called'),
  };
}

const withMatchDefaults = (match: Fields): Fields =>
  withDefaultsForAbsent(eachWithin(match, ['resourceRules', 'excludeResourceRules'], withScope), {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  });

const policyRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) =>
    withDefaultsForAbsent(within(spec, ['matchConstraints'], withMatchDefaults), { failurePolicy: 'Fail' }),
  ),
  check(object) {
    const { matchConstraints, validations, auditAnnotations } = specOf(object);
    const either = 'validations or auditAnnotations must contain at least one item';
    return [
      ...(matchConstraints === undefined ? [field.required('spec.matchConstraints')] : []),
      ...(isEmpty(validations) && isEmpty(auditAnnotations)
        ? ['spec.validations', 'spec.auditAnnotations'].map((path) => field.required(path, either))
        : []),
    ];
  },
  warnings: inert('no admission policy is ever applied'),
};

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

const actions = ['Audit', 'Deny', 'Warn'];

const bindingRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) => within(spec, ['matchResources'], withMatchDefaults)),
  check(object) {
    const { policyName, validationActions } = specOf(object);
    const asked = Array.isArray(validationActions) ? (validationActions as unknown[]) : [];
    return [
      ...(policyName === undefined ? [field.required('spec.policyName')] : []),
      ...(asked.length === 0 ? [field.required('spec.validationActions')] : []),
      ...asked.flatMap((each, index) => checkValue(`spec.validationActions[${index}]`, each, actions)),
    ];
  },
  warnings: inert('no admission policy is ever applied'),
};

const apiServiceRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) => within(spec, ['service'], withPort)),
  prepareCreate(object) {
    if (specOf(object)['service'] !== undefined) return object;
    const local = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: object.metadata.creationTimestamp,
      reason: 'Local',
      message: 'Local APIServices are always available',
    };
    return { ...object, status: { conditions: [local] } };
  },
  check(object) {
    const { group = '', version = '', groupPriorityMinimum: minimum, versionPriority } = specOf(object);
    const name = `${String(version)}.${String(group)}`;
    const between = (path: string, value: unknown, most: number) =>
      Number(value) > 0 && Number(value) <= most
        ? []
        : [field.invalid(path, value ?? 0, `must be positive and less than ${most}`)];
    return [
      ...(object.metadata.name === name
        ? []
        : [
            field.invalid(
              'metadata.name',
              object.metadata.name,
              `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`,
            ),
          ]),
      ...between('spec.groupPriorityMinimum', minimum, 20_000),
      ...between('spec.versionPriority', versionPriority, 1000),
    ];
  },
  warnings: inert('no request is handed to another server'),
};

const flowSchemaRules: KindRules = {
  defaults: specDefaults((spec) => ({ ...spec, matchingPrecedence: spec['matchingPrecedence'] || 1000 })),
  check: (object) =>
    fieldAt(object, ['spec', 'priorityLevelConfiguration', 'name'])
      ? []
      : [field.required('spec.priorityLevelConfiguration.name', 'must reference a priority level')],
  warnings: inert('no request is held back'),
};

const withQueues = (queuing: Fields): Fields => ({
  queues: queuing['queues'] || 64,
  handSize: queuing['handSize'] || 8,
  queueLengthLimit: queuing['queueLengthLimit'] || 50,
});

const priorityLevelRules: KindRules = {
  defaults: specDefaults((spec) =>
    within(
      within(spec, ['limited'], (limited) =>
        withDefaultsForAbsent(
          within(limited, ['limitResponse'], (response) => within(response, ['queuing'], withQueues)),
          { nominalConcurrencyShares: 30, lendablePercent: 0 },
        ),
      ),
      ['exempt'],
      (exempt) => withDefaultsForAbsent(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
    ),
  ),
  check(object) {
    const { type, limited } = specOf(object);
    const path = 'spec.limited.limitResponse';
    if (type !== 'Exempt' && type !== 'Limited')
      return [field.notSupported('spec.type', type ?? '', ['Exempt', 'Limited'])];
    const queues = fieldAt(limited, ['limitResponse', 'queuing']);
    return fieldAt(limited, ['limitResponse', 'type']) === 'Queue' && queues === undefined
      ? [field.required(`${path}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')]
      : [];
  },
  warnings: inert('no request is held back'),
};

const signingRules: KindRules = {
  check(object) {
    const { usages, signerName } = specOf(object);
    return [
      ...(isEmpty(usages) ? [field.required('spec.usages')] : []),
      ...(signerName ? [] : [field.required('spec.signerName')]),
    ];
  },
  warnings: inert('no certificate is ever signed'),
};

/** Extension kinds (webhooks, APIServices and similar), which are stored without effect; by resource id. */
export const extensionRules: Readonly<Record<string, KindRules>> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookRules({ reinvocationPolicy: 'Never' }),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookRules({}),
  'validatingadmissionpolicies.admissionregistration.k8s.io': policyRules,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': bindingRules,
  'apiservices.apiregistration.k8s.io': apiServiceRules,
  'certificatesigningrequests.certificates.k8s.io': signingRules,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaRules,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelRules,
  'csistoragecapacities.storage.k8s.io': {
    needsRevision: true,
    warnings: inert('no storage capacity is reckoned with'),
  },
  'ipaddresses.networking.k8s.io': {
    check: (object) => (isFields(specOf(object)['parentRef']) ? [] : [field.required('spec.parentRef')]),
    warnings: inert('no address is given out by these objects'),
  },
  'servicecidrs.networking.k8s.io': {
    check: (object) =>
      isEmpty(specOf(object)['cidrs']) ? [field.required('spec.cidrs', 'at least one CIDR required')] : [],
    warnings: inert('no address is given out by these objects'),
  },
};
