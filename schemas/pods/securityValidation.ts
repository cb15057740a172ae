import { field, type FieldError } from './fieldErrors.ts';
import { isFields, type Fields } from './fields.ts';
import {
  relativePath,
  isSet,
  isMissing,
  items,
  listOf,
  named,
  notTooLong,
  oneOf,
  someOf,
  textOf,
  within,
} from './fieldChecks.ts';

const largestId = 2147483647;
const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function checkSeccomp(profile: unknown, path: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type, localhostProfile: local } = profile;
  const at = `${path}.localhostProfile`;
  const errors = isMissing(type)
    ? [field.required(`${path}.type`, 'type is required when seccompProfile is set')]
    : oneOf(`${path}.type`, type, profileTypes);
  if (type === 'Localhost')
    return isSet(local)
      ? [...errors, ...relativePath(at, local)]
      : [...errors, field.required(at, 'must be set when seccomp type is Localhost')];
  if (!isSet(local)) return errors;
  const shown = { Type: textOf(type), LocalhostProfile: local };
  return [...errors, field.invalid(at, shown, 'can only be set when seccomp type is Localhost')];
}

function checkAppArmor(profile: unknown, path: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type, localhostProfile: local } = profile;
  const at = `${path}.localhostProfile`;
  if (isMissing(type))
    return [field.required(`${path}.type`, 'type is required when appArmorProfile is set')];
  if (type !== 'Localhost') {
    const known = oneOf(`${path}.type`, type, profileTypes);
    return known.length > 0 || !isSet(local)
      ? known
      : [field.invalid(at, local, 'can only be set when AppArmor type is Localhost')];
  }
  const name = textOf(local);
  if (name === '') return [field.required(at, 'must be set when AppArmor type is Localhost')];
  return [
    ...(name.trim() === name ? [] : [field.invalid(at, name, 'must not be padded with whitespace')]),
    ...notTooLong(at, name, 4095),
  ];
}

const longestCredentialSpec = 64 * 1024;
const forbiddenInUserNames = /["/\\:;|=,+*?<>@[\]]/;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsDomain =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

function checkUserName(name: string, path: string): FieldError[] {
  const refuse = (why: string) => [field.invalid(path, name, why)];
  if (name === '') return refuse('runAsUserName cannot be an empty string');
  // Escapes control characters for the terminal.
  if (/\p{Cc}/u.test(name)) return refuse('runAsUserName cannot contain control characters');
  const parts = name.split('\\');
  if (parts.length > 2) return refuse('runAsUserName cannot contain more than one backslash');
  const domain = parts.length === 2 ? parts[0] : undefined;
  const user = parts.at(-1) ?? '';
  const errors: FieldError[] = [];
  if (domain !== undefined) {
    if (domain.length > 256)
      errors.push(...refuse("runAsUserName's Domain length must be under 256 characters"));
    if (!netBiosName.test(domain) && !dnsDomain.test(domain))
      errors.push(...refuse("runAsUserName's Domain doesn't match the NetBios nor the DNS format"));
  }
  if (user.length > 104)
    errors.push(...refuse("runAsUserName's User length must not be longer than 104 characters"));
  if (user === '') errors.push(...refuse("runAsUserName's User cannot be an empty string"));
  if (/^[. ]+$/.test(user))
    errors.push(...refuse("runAsUserName's User cannot contain only periods or spaces"));
  if (forbiddenInUserNames.test(user))
    errors.push(...refuse(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`));
  return errors;
}

function checkWindows(options: unknown, path: string): FieldError[] {
  if (!isFields(options)) return [];
  const { gmsaCredentialSpec: spec, runAsUserName: user } = options;
  const errors = named(`${path}.gmsaCredentialSpecName`, options['gmsaCredentialSpecName'], 'subdomain');
  const at = `${path}.gmsaCredentialSpec`;
  if (spec === '') errors.push(field.invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string'));
  if (textOf(spec).length > longestCredentialSpec)
    errors.push(field.invalid(at, '', 'gmsaCredentialSpec size must be under 64 KiB'));
  return isSet(user) ? [...errors, ...checkUserName(textOf(user), `${path}.runAsUserName`)] : errors;
}

/** Formats a value as in the server's messages. */
function shownContext(context: Fields): Fields {
  const names = [
    'Capabilities',
    'Privileged',
    'SELinuxOptions',
    'WindowsOptions',
    'RunAsUser',
    'RunAsGroup',
    'RunAsNonRoot',
    'ReadOnlyRootFilesystem',
    'AllowPrivilegeEscalation',
    'ProcMount',
    'SeccompProfile',
    'AppArmorProfile',
  ];
  const fieldName = (name: string) =>
    name === 'SELinuxOptions' ? 'seLinuxOptions' : name.charAt(0).toLowerCase() + name.slice(1);
  return Object.fromEntries(
    names.map((name) => {
      const value = context[fieldName(name)] ?? null;
      const shown =
        name === 'Capabilities' && isFields(value)
          ? { Add: value['add'] ?? null, Drop: value['drop'] ?? null }
          : value;
      return [name, shown];
    }),
  );
}

/** The security context of a container; `hostUsers`: whether the pod uses the host's user namespace. */
export function checkSecurityContext(context: unknown, path: string, hostUsers: boolean): FieldError[] {
  if (!isFields(context)) return [];
  const { runAsUser, runAsGroup, procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  const errors = [
    ...within(`${path}.runAsUser`, runAsUser, 0, largestId),
    ...within(`${path}.runAsGroup`, runAsGroup, 0, largestId),
    ...oneOf(`${path}.procMount`, procMount, ['Default', 'Unmasked']),
  ];
  if (hostUsers && procMount === 'Unmasked')
    errors.push(field.invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'));
  errors.push(...checkSeccomp(context['seccompProfile'], `${path}.seccompProfile`));
  if (allowPrivilegeEscalation === false) {
    const refuse = (what: string) =>
      errors.push(
        field.invalid(
          path,
          shownContext(context),
          `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
        ),
      );
    if (privileged === true) refuse('`privileged` to true');
    for (const capability of listOf(isFields(capabilities) ? capabilities['add'] : undefined))
      if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
  return [
    ...errors,
    ...checkWindows(context['windowsOptions'], `${path}.windowsOptions`),
    ...checkAppArmor(context['appArmorProfile'], `${path}.appArmorProfile`),
  ];
}

const controlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
/** As the server shows it. */
const controlPattern = controlName.source.replace('[./]', '[\\./]');
const netControl = /^net[./]/;
const ipcControl = /^(kernel[./](shm|msg|sem)|fs[./]mqueue[./])/;

function checkControls(spec: Fields, controls: unknown, path: string): FieldError[] {
  const seen = new Set<string>();
  return items(controls).flatMap((control, index) => {
    const at = `${path}[${index}].name`;
    const name = textOf(control['name']);
    const errors: FieldError[] = [];
    if (name === '') errors.push(field.required(at));
    else if (name.length > 253 || !controlName.test(name))
      errors.push(
        field.invalid(at, name, `must have at most 253 characters and match regex ${controlPattern}`),
      );
    else if (seen.has(name)) errors.push(field.duplicate(at, name));
    if (spec['hostNetwork'] === true && netControl.test(name))
      errors.push(field.invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec['hostIPC'] === true && ipcControl.test(name))
      errors.push(field.invalid(at, name, "may not be specified when 'hostIPC' is true"));
    seen.add(name);
    return errors;
  });
}

/** The security context of a pod. */
export function checkPodSecurity(spec: Fields, path: string): FieldError[] {
  const context = isFields(spec['securityContext']) ? spec['securityContext'] : {};
  const at = (name: string) => `${path}.${name}`;
  const errors = [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) =>
      within(at(name), context[name], 0, largestId),
    ),
    ...listOf(context['supplementalGroups']).flatMap((group, index) =>
      within(`${at('supplementalGroups')}[${index}]`, group, 0, largestId),
    ),
  ];
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true)
    errors.push(
      field.invalid(
        at('shareProcessNamespace'),
        true,
        'ShareProcessNamespace and HostPID cannot both be enabled',
      ),
    );
  return [
    ...errors,
    ...checkControls(spec, context['sysctls'], at('sysctls')),
    ...oneOf(at('fsGroupChangePolicy'), context['fsGroupChangePolicy'], ['Always', 'OnRootMismatch']),
    ...checkSeccomp(context['seccompProfile'], at('seccompProfile')),
    ...checkWindows(context['windowsOptions'], at('windowsOptions')),
    ...checkAppArmor(context['appArmorProfile'], at('appArmorProfile')),
    ...(isSet(context['supplementalGroupsPolicy'])
      ? someOf(at('supplementalGroupsPolicy'), context['supplementalGroupsPolicy'], ['Merge', 'Strict'])
      : []),
    ...oneOf(at('seLinuxChangePolicy'), context['seLinuxChangePolicy'], ['Recursive']),
  ];
}
