import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';
import { quoted } from './phrases.ts';

function othersText({ count }: { count: number }): string {
  return `and ${count} more ${count === 1 ? 'problem' : 'problems'} here ${count === 1 ? 'is' : 'are'} not listed`;
}

const NO_MANIFEST_HELP = 'if it is not a manifest, list it under ignore in kruise.yaml';

/** KR10xx: files, and the objects in them. */
export const loadCodes = {
  KR1001: define<{ path: string; reason: string }>({
    title: 'File cannot be read',
    severity: 'error',
    message: ({ path, reason }) => `${path} cannot be read: ${reason}`,
    about:
      'The operating system refused to read the file or folder. ' +
      'A plan computed without it could miss a change, so nothing is written.',
    remedy: 'Check the path and its permissions. If the file is not a manifest, move it to another folder.',
  }),
  KR1002: define({
    title: 'Not UTF-8',
    severity: 'error',
    message: () => 'the file is not valid UTF-8',
    help: () => NO_MANIFEST_HELP,
    about: 'Kubernetes reads manifests as UTF-8. A guess at another encoding could change values silently.',
    remedy:
      'Save the file as UTF-8. UTF-16 and Latin-1 are not supported. If it is not a manifest, list it under ignore in ' +
      'kruise.yaml.',
  }),
  KR1003: define<{ limit: string }>({
    title: 'File too large',
    severity: 'error',
    message: ({ limit }) => `the file is larger than ${limit}, the limit for one file`,
    help: () => NO_MANIFEST_HELP,
    about: 'A manifest of this size is a mistake or an attack: an object in a cluster is smaller than 2 MiB.',
    remedy: 'Split the file. If it is not a manifest, list it under ignore in kruise.yaml.',
  }),
  KR1015: define<{ path: string; target: string }>({
    title: 'Link not followed',
    severity: 'error',
    message: ({ path, target }) => `the link ${path} leads ${target} and is not followed`,
    about:
      'Links are followed only within the planned folder. Links of kruise.yaml and of paths on the command line are followed ' +
      'within the git repository. A pull request could otherwise add a link to a private file of the user who runs the ' +
      'command. The link could hide a manifest, and its workload would look removed, so this is an error.',
    remedy:
      'Remove the link, replace it by the file or folder that it names, or plan a folder that contains both.',
  }),
  KR1016: define<{ kind: string; name: string; nested: string | undefined }>({
    title: 'The same object twice',
    severity: 'error',
    message: ({ kind, name }) => `${kind} ${name} is declared twice`,
    help: ({ nested }) =>
      nested === undefined
        ? undefined
        : `${nested} is a repository of its own, such as a worktree: move it out of here, or ignore it in kruise.yaml`,
    about:
      'Group, kind, namespace and name identify an object; the API version does not. Of two declarations the one ' +
      'applied last wins, and the order is not defined.',
    remedy:
      'Remove one of them, or plan each overlay separately. Keep worktrees and clones out of the planned folder, or in a ' +
      'hidden one.',
  }),
  KR1017: define<{ path: string }>({
    title: 'No such path',
    severity: 'error',
    message: ({ path }) => `${path} does not exist`,
    about: 'No file or folder exists at this path of the command line.',
    remedy: 'Check the spelling. Paths are relative to the working directory.',
  }),
  KR1018: define<{ kind: string; isOther: boolean }>({
    title: 'Object without a name',
    severity: 'error',
    message: ({ kind, isOther }) =>
      isOther ? `the metadata.name of this ${kind} is not text` : `this ${kind} has no metadata.name`,
    help: ({ isOther }) => (isOther ? 'write the name in quotes' : undefined),
    about: 'A plan belongs to one object, which it identifies by its name.',
    remedy:
      'Set metadata.name. Objects with generateName cannot be planned, because every apply creates another object.',
  }),
  KR1019: define<{ apiVersion: string; kind: string; known: string }>({
    title: 'Unknown API version',
    severity: 'error',
    message: ({ apiVersion, kind }) => `${kind} has no API version ${quoted(apiVersion)}`,
    help: ({ known }) => `use ${known}`,
    about: 'The group is apps.kruise.io, but OpenKruise does not serve this version.',
    remedy: 'Use a version that OpenKruise serves.',
  }),
  KR1021: define<{ field: string; value: string }>({
    title: 'Name that Kubernetes refuses',
    severity: 'error',
    message: ({ field, value }) => `${field} ${quoted(value)} is not a name that Kubernetes accepts`,
    help: ({ value }) => (value.includes('{{') ? 'it looks like a template: render it first' : undefined),
    about:
      'Names and namespaces are DNS names. The folder of a plan is named after them, so other names are refused ' +
      'before they become a path.',
    remedy:
      'Use lower-case letters, digits and dashes, in a name also dots. Start and end with a letter or digit.',
  }),
  KR1022: define<{ template: boolean }>({
    title: 'File without a workload that is not YAML',
    severity: 'warning',
    message: ({ template }) =>
      template ? 'not YAML, ignored: the file looks like a template' : 'not YAML, ignored',
    help: ({ template }) => (template ? 'if it renders a workload, render it first' : undefined),
    about:
      'The file is a template or not valid JSON. It does not mention apps.kruise.io, so it is ignored. ' +
      'If a template renders a workload of OpenKruise, that workload is not planned.',
    remedy: 'Correct it, render it first, or move files that are not manifests out of the folder.',
  }),
  KR1023: define<{ kind: string; found: string; meant: string }>({
    title: 'Misspelled API group',
    severity: 'error',
    message: ({ kind, found }) => `this ${kind} has ${found}`,
    help: ({ meant }) => `did you mean '${meant}'?`,
    about:
      'The kind belongs to OpenKruise, but the group does not. No API server would accept the object, and ' +
      'if the compiler skipped it silently, the workload would look removed.',
    remedy: 'Write apiVersion: apps.kruise.io/v1alpha1 or v1beta1.',
  }),
  KR1024: define<{ group: string; kind: string | undefined; help: string }>({
    title: 'Unknown kind of OpenKruise',
    severity: 'error',
    message: ({ group, kind }) =>
      kind === undefined ? 'this object has no kind' : `${group} has no kind ${quoted(kind)}`,
    help: ({ help }) => help,
    about:
      'The kinds of apps.kruise.io and policy.kruise.io are a closed list, and kinds are case-sensitive. If the compiler ' +
      'skipped the object, its workload would look removed.',
    remedy: 'Correct the kind, or the group if the object is not of OpenKruise.',
  }),
  KR1025: define<{ out: string; kind: string; name: string }>({
    title: 'Manifest in the folder of plans',
    severity: 'error',
    message: ({ out, kind, name }) => `${kind} ${name} is in ${out}, which is only for plans`,
    about: 'Plans and manifests are in separate folders. Manifests in the folder of plans are not read.',
    remedy: 'Name another folder with --out, or move the manifest.',
  }),
  KR1026: define<{ problem: string }>({
    title: 'Not YAML, possibly a manifest',
    severity: 'error',
    message: ({ problem }) => problem,
    about:
      'The file is named .yaml and is not valid YAML. It names no kind of apps.kruise.io, but it may be a damaged ' +
      'manifest whose workload would look removed. A GitOps engine refuses the whole folder.',
    remedy:
      'Correct it, move files that are not manifests out of the folder, or list them under ignore in kruise.yaml.',
  }),
  KR1027: define({
    title: 'Workload without apiVersion and kind',
    severity: 'error',
    message: () => 'this object has metadata and a pod template, but no apiVersion and kind',
    about:
      'No API server would accept the object. If the compiler skipped it, its workload would look removed.',
    remedy: 'Write apiVersion and kind. The API group of OpenKruise is apps.kruise.io.',
  }),
  KR1028: define<{ path: string; what: string; command: string }>({
    title: 'Folder that must be rendered',
    severity: 'error',
    message: ({ path, what }) => `${path} is ${what}, not a folder of manifests`,
    help: ({ command }) =>
      `plan its output: ${command} | kruise plan -f - --base-file FILE. Or let kruise run it: roots in kruise.yaml`,
    about:
      'kustomize and Helm make manifests of these files, so they are not what is applied. An image that is changed ' +
      'there could change no file that is compared, and the rollout would begin without a plan.',
    remedy:
      'Plan the output (docs/how-to/helm-and-kustomize.md). List a folder without workloads in ignore of kruise.yaml.',
  }),
  KR1029: define<{ what: string; command: string }>({
    title: 'File that git stores elsewhere',
    severity: 'error',
    message: ({ what }) => `the file is ${what}, so its manifests are unknown`,
    help: ({ command }) => `run ${command}`,
    about:
      'Git has a pointer of Git LFS, or what git-crypt encrypted, in place of the file. Commits are read from git, so this ' +
      'is what they have. A workload in such a file would look removed.',
    remedy:
      'Run git lfs pull or git-crypt unlock in the clone. For a base, do that in a worktree of it, and use --base-dir. ' +
      'Files that are no manifests can be ignored in kruise.yaml.',
  }),
  KR1031: define<{ paths: string; isPlansAlone: boolean }>({
    title: 'No manifest found',
    severity: 'error',
    message: ({ paths, isPlansAlone }) =>
      isPlansAlone
        ? `there are plans in ${shorten(paths, 200)}, and no manifests`
        : `there is no *.yaml, *.yml or *.json file in ${shorten(paths, 200)}, at base or at head`,
    about: 'A run that reads nothing finds nothing wrong, so a wrong path would pass every check.',
    remedy: 'Name the folder of the manifests: kruise plan PATH.',
  }),
  KR1032: define<{ paths: string; files: number }>({
    title: 'No workload found',
    severity: 'warning',
    strict: true,
    message: ({ paths, files }) =>
      `no workload that this version plans is in ${shorten(paths, 200)}: ${countText(files, 'file')} without one`,
    about:
      'Neither state has an object that is planned. In a check this often means that the path is the wrong one.',
    remedy: 'Name the folder of the manifests: kruise plan PATH. Ignore this if there are no workloads yet.',
  }),
  KR1035: define<{ limit: string; read: string; most: string | undefined }>({
    title: 'Too much for one run',
    severity: 'error',
    message: ({ limit }) => `the run stops here: one run reads at most ${limit}`,
    help: ({ read, most }) =>
      `${most === undefined ? '' : `most of it is in ${shorten(most, 120)}: if those are no manifests, list it under ignore in kruise.yaml; `}` +
      `plan fewer folders in one run, or allow more: --budget 200 (so far: ${read})`,
    about:
      'One run has limits (docs/limits.md), so that no input can keep a pipeline busy or fill its memory. They hold for all ' +
      'roots, for both states, and for what git and commands print. Not all manifests were read, so nothing is written.',
    remedy:
      'Plan each folder separately (`kruise plan apps/shop`), list what is no manifest under ignore in kruise.yaml, or allow ' +
      'more with --budget. Where kruise.yaml has a budget, raise it there.',
  }),
  KR1036: define<{ limit: string }>({
    title: 'Document too large',
    severity: 'error',
    message: ({ limit }) => `the document has more than ${limit}`,
    about:
      'A YAML document is in memory as a whole while it is parsed. No Kubernetes object comes near these limits ' +
      '(docs/limits.md): an API server accepts less than 2 MiB.',
    remedy: 'Split it into documents, or move files that are not manifests out of the folder.',
  }),
  KR1037: define<{ count: number }>({
    title: 'More warnings than are listed',
    severity: 'warning',
    message: othersText,
    about:
      'The number of problems that are listed for one file, object or folder is limited (docs/limits.md). The others ' +
      'are counted. All of them are warnings.',
    remedy: 'Correct the listed problems and run the command again.',
  }),
  KR1038: define<{ count: number }>({
    title: 'More errors than are listed',
    severity: 'error',
    message: othersText,
    about:
      'The number of problems that are listed for one file, object or folder is limited (docs/limits.md). The others ' +
      'are counted. At least one of them is an error.',
    remedy: 'Correct the listed problems and run the command again.',
  }),
  KR1039: define<{ code: string; message: string }>({
    title: 'Problem at base',
    severity: 'warning',
    message: ({ code, message }) => `at base: ${message} (${code})`,
    help: ({ code }) => `nothing, if head is correct; \`kruise explain ${code}\` explains the problem`,
    about:
      'The base of a comparison has this problem. It can no longer be corrected there, so it is a warning. A file of base ' +
      'that cannot be read is an error, because each of its objects would look new.',
    remedy: 'Nothing, if head is correct. If the base is not the one you meant, name another.',
  }),
  KR1040: define<{ file: string; problem: string }>({
    title: 'Unreadable file that did not change',
    severity: 'warning',
    message: ({ problem }) =>
      `skipped, as it is the same at base and names no workload of OpenKruise: ${problem}`,
    help: ({ file }) => `correct it, or list it under ignore in kruise.yaml: ${shorten(file, 200)}`,
    about:
      'The file is not valid YAML, or too large. It is the same in both states and does not name apps.kruise.io, so this change ' +
      'neither adds nor removes a workload in it. A GitOps engine that applies the folder refuses it all the same. Without a base, and ' +
      'as soon as the file changes, it is an error (KR1026).',
    remedy: 'Correct it, move it out of the folder, or list it under ignore in kruise.yaml.',
  }),
} as const;
