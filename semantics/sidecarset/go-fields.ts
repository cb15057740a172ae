import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson, sortedKeys } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';
import { formatQuantity, parseQuantity, roundUpToMilli } from '../values/quantity.ts';

/** One field of a Go structure, as its JSON encoder treats it. */
interface Field {
  key: string;
  /** Written where the field is absent. */
  absent?: Json;
  /** A pointer in Go: false, 0 and the empty text are written. */
  isPointer?: true;
  /** The fields of the value, or of each item of a list. */
  fields?: readonly Field[];
  /** The value is a map of quantities. */
  isAmounts?: true;
  /** The value is a quantity, which is always written. */
  isAmount?: true;
}

/** Fields in the order of a Go structure: `name`, or `name*` for a pointer. */
function of(names: string, ...others: readonly Field[]): readonly Field[] {
  const known = new Map(others.map((field) => [field.key, field]));
  return names.split(' ').map((name) => {
    const key = name.replace('*', '');
    return known.get(key) ?? (name.endsWith('*') ? { key, isPointer: true } : { key });
  });
}

const nested = (key: string, fields: readonly Field[]): Field => ({ key, isPointer: true, fields });
const always = (key: string, absent: Json, fields?: readonly Field[]): Field => ({
  key,
  absent,
  isPointer: true,
  ...(fields && { fields }),
});

const NAMED = of('name optional*');
const KEYED = of('name key optional*');
const RESOURCE_FIELD = of('containerName resource divisor', { key: 'divisor', isAmount: true });
const VALUE_FROM = of(
  'fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef',
  nested('fieldRef', of('apiVersion fieldPath')),
  nested('resourceFieldRef', RESOURCE_FIELD),
  nested('configMapKeyRef', KEYED),
  nested('secretKeyRef', KEYED),
  nested('fileKeyRef', of('volumeName path key optional*')),
);
const HANDLERS = [
  nested('exec', of('command')),
  nested('httpGet', of('path port* host scheme httpHeaders', nested('httpHeaders', of('name* value*')))),
  nested('tcpSocket', of('port* host')),
  nested('grpc', of('port* service', always('service', null))),
];
const PROBE = of(
  'exec httpGet tcpSocket grpc initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds*',
  ...HANDLERS,
);
const HOOK = of('exec httpGet tcpSocket sleep', ...HANDLERS, nested('sleep', of('seconds*')));
const PROFILE = of('type* localhostProfile*');
const SECURITY = of(
  'capabilities privileged* seLinuxOptions windowsOptions runAsUser* runAsGroup* runAsNonRoot* readOnlyRootFilesystem* allowPrivilegeEscalation* procMount* seccompProfile appArmorProfile',
  nested('capabilities', of('add drop')),
  nested('seLinuxOptions', of('user role type level')),
  nested('windowsOptions', of('gmsaCredentialSpecName* gmsaCredentialSpec* runAsUserName* hostProcess*')),
  nested('seccompProfile', PROFILE),
  nested('appArmorProfile', PROFILE),
);
const RESOURCES = of(
  'limits requests claims',
  { key: 'limits', isAmounts: true },
  { key: 'requests', isAmounts: true },
  { key: 'claims', fields: of('name* request') },
);
const AMOUNTS = of('cpu memory');
const RESOURCES_POLICY = of(
  'targetContainersMode* targetContainersNameRegex resourcesExpr',
  always('resourcesExpr', {}, of('limits requests', nested('limits', AMOUNTS), nested('requests', AMOUNTS))),
);
const TRANSFER_ENV = of(
  'sourceContainerName sourceContainerNameFrom envName envNames',
  nested('sourceContainerNameFrom', of('fieldRef', nested('fieldRef', of('apiVersion fieldPath*')))),
);

/** A container of a set: the fields of a container of Kubernetes, then those of OpenKruise (sidecarset, rule 5.6). */
const SIDECAR = of(
  'name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty podInjectPolicy upgradeStrategy shareVolumePolicy shareVolumeDevicePolicy transferEnv resourcesPolicy',
  always('name', ''),
  { key: 'ports', fields: of('name hostPort containerPort* protocol hostIP') },
  {
    key: 'envFrom',
    fields: of('prefix configMapRef secretRef', nested('configMapRef', NAMED), nested('secretRef', NAMED)),
  },
  { key: 'env', fields: of('name* value valueFrom', nested('valueFrom', VALUE_FROM)) },
  always('resources', {}, RESOURCES),
  { key: 'resizePolicy', fields: of('resourceName* restartPolicy*') },
  { key: 'restartPolicy', isPointer: true },
  {
    key: 'restartPolicyRules',
    fields: of('action* exitCodes', nested('exitCodes', of('operator* values'))),
  },
  {
    key: 'volumeMounts',
    fields: of('name* readOnly recursiveReadOnly* mountPath* subPath mountPropagation* subPathExpr'),
  },
  { key: 'volumeDevices', fields: of('name* devicePath*') },
  nested('livenessProbe', PROBE),
  nested('readinessProbe', PROBE),
  nested('startupProbe', PROBE),
  nested(
    'lifecycle',
    of('postStart preStop stopSignal*', nested('postStart', HOOK), nested('preStop', HOOK)),
  ),
  nested('securityContext', SECURITY),
  always('upgradeStrategy', {}, of('upgradeType hotUpgradeEmptyImage')),
  always('shareVolumePolicy', {}, of('type')),
  nested('shareVolumeDevicePolicy', of('type')),
  { key: 'transferEnv', fields: TRANSFER_ENV },
  nested('resourcesPolicy', RESOURCES_POLICY),
);

/**
 * A container of a set as the JSON encoder of Go writes it: fields in their order, nothing empty but what is always written,
 * quantities in their canonical form. Fields that are not known here come last, so that a change of them is not lost.
 */
export function goSidecar(container: JsonObject): string {
  return goJson(container, SIDECAR);
}

function goObject(value: JsonObject, fields: readonly Field[]): string {
  const known = new Set(fields.map(({ key }) => key));
  const unknown = sortedKeys(value).filter((key) => !known.has(key));
  const members = [...fields, ...unknown.map((key): Field => ({ key }))].flatMap((field) => {
    const member = memberOf(value[field.key], field);
    return member === undefined ? [] : [`${goText(field.key)}:${member}`];
  });
  return `{${members.join(',')}}`;
}

/** The text of a member; undefined: it is not written. */
function memberOf(value: Json | undefined, field: Field): string | undefined {
  if (field.isAmount) return goText(amountOf(value ?? '0', false));
  const isAbsent = value === undefined || value === null || (field.isPointer !== true && isZero(value));
  if (isAbsent) return field.absent === undefined ? undefined : goJson(field.absent, field.fields);
  if (field.isAmounts && isObject(value)) {
    const amounts: JsonObject = value;
    const members = sortedKeys(amounts).map(
      (name) => `${goText(name)}:${goText(amountOf(amounts[name] ?? '0', true))}`,
    );
    return `{${members.join(',')}}`;
  }
  return Array.isArray(value) && value.length === 0 ? undefined : goJson(value, field.fields);
}

function goJson(value: Json, fields?: readonly Field[]): string {
  if (typeof value === 'string') return goText(value);
  if (Array.isArray(value)) return `[${value.map((each) => goJson(each, fields)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const object: JsonObject = value;
  if (fields !== undefined) return goObject(object, fields);
  return `{${sortedKeys(object)
    .map((key) => `${goText(key)}:${goJson(object[key] ?? null)}`)
    .join(',')}}`;
}

function isZero(value: Json): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function amountOf(value: Json, toMilli: boolean): string {
  const amount = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  if (amount === undefined) return canonicalJson(value);
  return formatQuantity(toMilli ? roundUpToMilli(amount) : amount);
}

/** Go escapes what could end a script in HTML, and two separators of lines. */
const ESCAPED = /[<>&\u2028\u2029]/g;

function goText(text: string): string {
  return JSON.stringify(text).replace(
    ESCAPED,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
