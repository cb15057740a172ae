import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { nameFaults } from '../../schemas/pods/names.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { checkMatchConditions } from '../policies/compile.ts';

const versions = ['v1', 'v1beta1'];
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const enums: readonly (readonly [string, readonly string[]])[] = [
  ['failurePolicy', ['Fail', 'Ignore']],
  ['matchPolicy', ['Equivalent', 'Exact']],
];

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function checkName(path: string, name: string): FieldError[] {
  if (name === '') return [field.required(path)];
  const faults = nameFaults(name, 'subdomain');
  if (faults.length > 0) return faults.map((fault) => field.invalid(path, name, fault));
  const isShort = name.split('.').length < 3;
  const why = 'should be a domain with at least three segments separated by dots';
  return isShort ? [field.invalid(path, name, why)] : [];
}

function checkUrl(path: string, text: string): FieldError[] {
  const form = 'desired format: https://host[/path]';
  if (!URL.canParse(text)) return [field.required(path, `url must be a valid URL; ${form}`)];
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  const user = [url.username, url.password].filter((each) => each !== '').join(':');
  return [
    ...(scheme === 'https'
      ? []
      : [field.invalid(path, scheme, `'https' is the only allowed URL scheme; ${form}`)]),
    ...(user === '' ? [] : [field.invalid(path, user, 'user information is not permitted in the URL')]),
    ...(url.hash === ''
      ? []
      : [field.invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(url.search === ''
      ? []
      : [field.invalid(path, url.search.slice(1), 'query parameters are not permitted in the URL')]),
  ];
}

function checkService(path: string, service: Fields): FieldError[] {
  const port = service['port'] ?? 443;
  const isPort = typeof port === 'number' && port >= 1 && port <= 65_535;
  const target = textOf(service['path']);
  return [
    ...['name', 'namespace'].flatMap((name) =>
      textOf(service[name]) === '' ? [field.required(`${path}.${name}`)] : [],
    ),
    ...(isPort
      ? []
      : [field.invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(target === '' || target.startsWith('/')
      ? []
      : [field.invalid(`${path}.path`, target, "must start with a '/'")]),
  ];
}

function checkClient(path: string, { url, service }: Fields): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [field.required(path, 'exactly one of url or service is required')];
  return url === undefined
    ? checkService(`${path}.service`, fieldsOf(service))
    : checkUrl(`${path}.url`, textOf(url));
}

/** `*` stands alone. */
function checkStar(path: string, list: readonly unknown[], others: string): FieldError[] {
  const isMixed = list.length > 1 && list.includes('*');
  return isMixed ? [field.invalid(path, list, `if '*' is present, must not specify other ${others}`)] : [];
}

function checkNamed(
  path: string,
  list: readonly unknown[],
  others: string,
  mayBeEmpty: boolean,
): FieldError[] {
  if (list.length === 0) return [field.required(path)];
  const blanks = list.flatMap((each, index) =>
    each === '' && !mayBeEmpty ? [field.required(`${path}[${index}]`)] : [],
  );
  return [...checkStar(path, list, others), ...blanks];
}

function checkResources(path: string, list: readonly unknown[]): FieldError[] {
  if (list.length === 0) return [field.required(path)];
  const blank = list.flatMap((each, index) => (each === '' ? [field.required(`${path}[${index}]`)] : []));
  const plain = list.filter((each) => !textOf(each).includes('/'));
  const isMixed = blank.length === 0 && plain.length > 1 && plain.includes('*');
  const why = "if '*' is present, must not specify other resources without subresources";
  return [...blank, ...(isMixed ? [field.invalid(path, list, why)] : [])];
}

/** The errors of a rule of a webhook or a policy. */
export function checkRule(path: string, rule: Fields): FieldError[] {
  const asked = listOf(rule['operations']);
  const scope = rule['scope'] ?? '*';
  return [
    ...(asked.length === 0 ? [field.required(`${path}.operations`)] : []),
    ...checkStar(`${path}.operations`, asked, 'operations'),
    ...asked.flatMap((each, index) =>
      operations.includes(textOf(each))
        ? []
        : [field.notSupported(`${path}.operations[${index}]`, each, operations)],
    ),
    ...checkNamed(`${path}.apiGroups`, listOf(rule['apiGroups']), 'API groups', true),
    ...checkNamed(`${path}.apiVersions`, listOf(rule['apiVersions']), 'API versions', false),
    ...checkResources(`${path}.resources`, listOf(rule['resources'])),
    ...(['*', 'Cluster', 'Namespaced'].includes(textOf(scope))
      ? []
      : [field.notSupported(`${path}.scope`, scope, ['*', 'Cluster', 'Namespaced'])]),
  ];
}

function checkVersions(path: string, list: readonly unknown[]): FieldError[] {
  if (list.length === 0) return [field.required(path, 'must specify one of v1, v1beta1')];
  const known = list.some((each) => versions.includes(textOf(each)));
  const twice = list.flatMap((each, index) =>
    list.indexOf(each) < index ? [field.invalid(`${path}[${index}]`, each, 'duplicate version')] : [],
  );
  const why = 'must include at least one of v1, v1beta1';
  return [...twice, ...(known ? [] : [field.invalid(path, list, why)])];
}

function checkWebhook(path: string, webhook: Fields): FieldError[] {
  const { sideEffects, timeoutSeconds, matchConditions } = webhook;
  const effects = ['None', 'NoneOnDryRun'];
  const isInTime = typeof timeoutSeconds !== 'number' || (timeoutSeconds >= 1 && timeoutSeconds <= 30);
  return [
    ...checkName(`${path}.name`, textOf(webhook['name'])),
    ...listOf(webhook['rules']).flatMap((rule, index) =>
      checkRule(`${path}.rules[${index}]`, fieldsOf(rule)),
    ),
    ...enums.flatMap(([name, values]) =>
      values.includes(textOf(webhook[name]))
        ? []
        : [field.notSupported(`${path}.${name}`, webhook[name], values)],
    ),
    ...(sideEffects === undefined
      ? [field.required(`${path}.sideEffects`, `must specify one of ${effects.join(', ')}`)]
      : effects.includes(textOf(sideEffects))
        ? []
        : [field.notSupported(`${path}.sideEffects`, sideEffects, effects)]),
    ...(isInTime
      ? []
      : [
          field.invalid(
            `${path}.timeoutSeconds`,
            timeoutSeconds,
            'the timeout value must be between 1 and 30 seconds',
          ),
        ]),
    ...checkClient(`${path}.clientConfig`, fieldsOf(webhook['clientConfig'])),
    ...checkMatchConditions(`${path}.matchConditions`, matchConditions),
    ...checkVersions(`${path}.admissionReviewVersions`, listOf(webhook['admissionReviewVersions'])),
  ];
}

/** The errors of a webhook configuration that its author meets, with the messages of the API server. */
export function checkWebhooks(object: KubeObject): FieldError[] {
  const webhooks = listOf(object['webhooks']).map(fieldsOf);
  const names = webhooks.map((webhook) => textOf(webhook['name']));
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const name = names[index] ?? '';
    const isTwice = name !== '' && names.indexOf(name) < index;
    return [...checkWebhook(path, webhook), ...(isTwice ? [field.duplicate(`${path}.name`, name)] : [])];
  });
}
