import type { Definition } from '../../compiler/diagnostics/definition.ts';
import { isCode, registry } from '../../compiler/diagnostics/registry.ts';
import { forJson, forTerminal, shorten } from '../../compiler/text/escape.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import { exampleTarget } from '../command/kind-names.ts';
import type { Host } from '../host.ts';
import { explainObject } from './object.ts';

/** Codes begin like this; a workload of such a name needs its kind. */
const LIKE_A_CODE = /^kr[\dO]/i;

/** `kruise explain KR1001` explains a diagnostic, `kruise explain KIND/NAME` or `FILE` a workload and its plan. */
export const runExplain: Run = (host, operands, options) => {
  const [requested] = operands;
  if (requested === undefined || operands.length > 1) {
    const examples = `kruise explain KR2101, or kruise explain ${exampleTarget().toLowerCase()}`;
    host.stderr(`kruise explain: name one code, object or file, for example ${examples}\n`);
    return exitCode.error;
  }
  return LIKE_A_CODE.test(requested)
    ? explainCode(host, requested, options)
    : explainObject(host, requested, options);
};

function explainCode(host: Host, requested: string, options: Options): number {
  const code = requested.toUpperCase();
  if (!isCode(code)) {
    const suggestion = suggest(code, Object.keys(registry));
    const hint = suggestion === undefined ? 'codes look like KR2101' : `did you mean ${suggestion}?`;
    host.stderr(`kruise explain: there is no diagnostic '${forTerminal(shorten(requested, 40))}'; ${hint}\n`);
    return exitCode.error;
  }
  const definition = registry[code] as Definition<never>;
  if (options['output'] === 'json') {
    host.stdout(codeJson(code, definition));
    return exitCode.done;
  }
  const strict = definition.strict === true ? ', an error with --strict' : '';
  const check =
    definition.check === undefined ? '' : `, exit code ${exitCode[definition.check]} of kruise plan --check`;
  host.stdout(
    `${code}: ${definition.title} (${definition.severity}${strict}${check})\n\n${wrap(definition.about, 80)}\n\n${wrap(`What to do: ${definition.remedy}`, 80)}\n`,
  );
  return exitCode.done;
}

function codeJson(
  code: string,
  { title, severity, strict, check, about, remedy }: Definition<never>,
): string {
  return forJson({
    ...{ format: '1', code, title, severity },
    ...(strict === true ? { errorIfStrict: true } : {}),
    ...(check === undefined ? {} : { checkExitCode: exitCode[check] }),
    ...{ about, remedy },
  });
}

function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
