import { isIP } from 'node:net';
import type { RuntimeConfig } from '../../schemas/generated/types/runtimeconfig.ts';
import { readRuntimeConfig } from '../../runtime/check/config.ts';
import type { AdmissionOption } from '../../semantics/kinds/admission.ts';
import { admissionOptions } from '../../semantics/kinds/admitting.ts';
import type { Policy } from '../../semantics/policy.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { Refusal } from '../command/refusal.ts';
import { HostError } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { fromCwd, gitRootOf, shownPath, outsideLink } from '../../compiler/load/files.ts';
import { readBodyYaml } from '../files/body-yaml.ts';
import type { Options } from '../command/command.ts';
import { isName } from '../../compiler/text/names.ts';
import { createOptionReader } from '../command/option-reader.ts';

const ADMISSION_OPTIONS = admissionOptions(kinds);

/** The options of `kruise run`; undefined if not set. */
export interface RunOptions {
  kubeconfig: string | undefined;
  context: string | undefined;
  namespace: string | undefined;
  policy: Policy;
  /** Adopt the objects of another controller. */
  adopt: boolean;
  /** Observe and write nothing. */
  shadow: boolean;
  /** Answer reviews of new pods, and do nothing else; undefined: no. */
  admission:
    | {
        certificates: string;
        port: number;
        host: string | undefined;
        clientCa: string | undefined;
        /** What is optional about it. */
        asked: readonly AdmissionOption[];
      }
    | undefined;
  maxRunning: number;
  /** When BreakGlass is accepted. */
  allowBreakGlass: 'policy' | 'always' | 'never';
  config: RuntimeConfig | undefined;
  election: boolean;
  leaseNamespace: string | undefined;
  /** 0: no port. */
  port: number;
  address: string | undefined;
  /** Serve the page of rollouts on that port. */
  page: boolean;
  log: 'json' | 'text';
}

const REVIEWS_PORT = '9443';
/** What an admission has no use for: it answers for the whole cluster, and changes nothing. */
const RECONCILE_ONLY = ['namespace', 'config', 'no-leader-election'];
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Reads the options. Returns everything that is wrong with them at once. */
export function readRunOptions(
  host: Host,
  operands: readonly string[],
  options: Options,
): RunOptions | Refusal[] {
  const { refusals, refuse, text } = createOptionReader(options);

  function whole(name: string, least: number, most: number, value = String(options[name])): number {
    const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most))
      refuse(`--${name} cannot be '${value}'`, `it is a whole number from ${least} to ${most}`);
    return number;
  }

  function namespace(name: string): string | undefined {
    const value = text(name);
    if (value !== undefined && value !== '' && !NAMESPACE.test(value))
      refuse(`--${name} cannot be '${value}'`, 'it is the name of a namespace, such as shop');
    return value;
  }

  if (operands.length > 0) refuse(`unexpected argument '${operands[0]}'`, 'kruise run takes options only');
  const adopt = options['adopt'] === true;
  const shadow = options['shadow'] === true;
  if (adopt && shadow)
    refuse(
      '--shadow and --adopt exclude each other',
      'use --shadow first, and --adopt once OpenKruise is removed',
    );
  const admission = options['admission'] === true;
  const certificates = text('certificates');
  if (admission && (adopt || shadow))
    refuse('--admission excludes --adopt and --shadow', 'it changes nothing; run a second process for them');
  if (admission && (certificates ?? '') === '')
    refuse('--admission needs --certificates DIR', 'it is the folder with tls.crt and tls.key');
  if (!admission && certificates !== undefined)
    refuse('--certificates is for --admission', 'remove it, or add --admission');
  for (const name of ['admission-port', 'admission-host', 'client-ca', ...ADMISSION_OPTIONS])
    if (!admission && options[name] !== undefined)
      refuse(`--${name} is for --admission`, 'remove it, or add --admission');
  const clientCa = text('client-ca');
  if (clientCa === '')
    refuse('--client-ca needs FILE', 'it is the authority of the certificates of API servers');
  const asked = text('admission-host');
  if (asked !== undefined && isIP(asked) === 0 && !isName(asked))
    refuse(
      `--admission-host cannot be '${asked}'`,
      'it is the name or address by which API servers ask, such as kruise-admission.kruise-system.svc',
    );
  if (admission)
    for (const name of RECONCILE_ONLY.filter((each) => options[each] !== undefined))
      refuse(`--${name} is not for --admission`, 'remove it: an admission answers for the whole cluster');
  const page = options['page'] === true;
  if (page && (admission || shadow))
    refuse('--page excludes --admission and --shadow', 'a process that reconciles serves it');
  if (page && options['port'] === '0') refuse('--page needs a port', 'choose one with --port N');
  const kubeconfig = text('kubeconfig');
  const config = readConfig(host, text('config'), refuse);
  const read: RunOptions = {
    kubeconfig: kubeconfig === undefined ? undefined : fromCwd(host, kubeconfig),
    context: text('context'),
    namespace: namespace('namespace'),
    policy: policyOption(options, adopt || shadow),
    adopt,
    shadow,
    admission: admission
      ? {
          certificates: fromCwd(host, certificates ?? ''),
          host: asked,
          asked: ADMISSION_OPTIONS.filter((each) => options[each] === true),
          clientCa: clientCa === undefined ? undefined : fromCwd(host, clientCa),
          port: whole('admission-port', 0, 65_535, text('admission-port') ?? REVIEWS_PORT),
        }
      : undefined,
    maxRunning: whole('max-running', 1, 1_000),
    allowBreakGlass: allowBreakGlass(options),
    config,
    election: options['no-leader-election'] !== true,
    leaseNamespace: namespace('lease-namespace'),
    port: whole('port', 0, 65_535),
    address: text('address'),
    page,
    log: logFormat(host, options),
  };
  return refusals.length > 0 ? refusals : read;
}

/** Users that migrate from OpenKruise start with Auto. */
function policyOption(options: Options, comesFromAuto: boolean): Policy {
  const value = options['policy'];
  if (value === 'Auto' || value === 'Required') return value;
  return comesFromAuto ? 'Auto' : 'Required';
}

function allowBreakGlass(options: Options): RunOptions['allowBreakGlass'] {
  const value = options['allow-break-glass'];
  return value === 'always' || value === 'never' ? value : 'policy';
}

function logFormat(host: Host, options: Options): 'json' | 'text' {
  if (options['log'] === 'json' || options['log'] === 'text') return options['log'];
  return host.stdoutIsTTY ? 'text' : 'json';
}

/** Reads the configuration of the runtime, a file of YAML or JSON. */
function readConfig(
  host: Host,
  file: string | undefined,
  refuse: (problem: string, help: string) => void,
): RuntimeConfig | undefined {
  if (file === undefined || file.trim() === '') return undefined;
  const path = fromCwd(host, file);
  const shown = shownPath(host, path);
  const repository = gitRootOf(host, path);
  // Outside of a repository, links are the operator's own: a mounted ConfigMap consists of several.
  const out =
    repository === undefined
      ? undefined
      : outsideLink(host, path, { folder: repository, isRepository: true });
  if (out !== undefined) {
    refuse(
      `the link ${shownPath(host, out.link)} leads ${out.target}`,
      'set --config to the file that it leads to',
    );
    return undefined;
  }
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(path);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    refuse(`${shown} cannot be read: ${error.reason}`, 'use another file with --config');
    return undefined;
  }
  let value: unknown;
  try {
    ({ value } = readBodyYaml(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    refuse(`${shown} is not valid YAML: ${reason}`, 'docs/checks.md shows an example');
    return undefined;
  }
  const found = readRuntimeConfig(value);
  if ('config' in found) return found.config;
  for (const problem of found.problems) refuse(`${shown}: ${problem}`, 'docs/checks.md lists the fields');
  return undefined;
}
