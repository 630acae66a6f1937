const cmdlets: ReadonlyMap<string, string> = new Map(
  `cat=get-content gc=get-content type=get-content cd=set-location chdir=set-location sl=set-location
  clc=clear-content cp=copy-item copy=copy-item cpi=copy-item curl=invoke-webrequest iwr=invoke-webrequest
  wget=invoke-webrequest irm=invoke-restmethod del=remove-item erase=remove-item rd=remove-item ri=remove-item
  rm=remove-item rmdir=remove-item rp=remove-itemproperty dir=get-childitem gci=get-childitem ls=get-childitem
  echo=write-output write=write-output gi=get-item gp=get-itemproperty gps=get-process ps=get-process gsv=get-service
  iex=invoke-expression icm=invoke-command ii=invoke-item kill=stop-process spps=stop-process md=mkdir
  mi=move-item move=move-item mv=move-item ni=new-item pwd=get-location gl=get-location ren=rename-item
  rni=rename-item sajb=start-job saps=start-process start=start-process sasv=start-service sc=set-content
  spsv=stop-service si=set-item sls=select-string where=where-object foreach=foreach-object sort=sort-object
  select=select-object gm=get-member gcm=get-command man=help measure=measure-object tee=tee-object ac=add-content`
    .split(/\s+/)
    .map((pair) => {
      const [alias = '', cmdlet = ''] = pair.split('=');
      return [alias, cmdlet] as const;
    }),
);

/** One spelling of a PowerShell command or rule: lower case, and the common aliases as their cmdlets. */
export function normalPowerShell(text: string): string {
  const lower = text.trim().toLowerCase();
  const [word = ''] = /^[^\s:*]*/.exec(lower) ?? [];
  return (cmdlets.get(word) ?? word) + lower.slice(word.length);
}

/** The text with every word that is a common alias spelled as its cmdlet, for texts that are not taken apart. */
export const spelledOut = (text: string): string =>
  text.toLowerCase().replace(/[a-z][\w-]*/g, (word) => cmdlets.get(word) ?? word);

export interface PowerShellPart {
  readonly text: string;
  /** False where the text may run something that is not seen here: `$(…)`, script blocks, redirects, `&`. */
  readonly plain: boolean;
}

/** Splits at `|`, `;`, `&&`, `||` and line ends outside quotes. */
export function splitPowerShell(command: string): readonly PowerShellPart[] {
  const parts: string[] = [];
  let quote = '';
  let part = '';
  for (let at = 0; at < command.length; at++) {
    const character = command[at] ?? '';
    if (character === '`') part += character + (command[++at] ?? '');
    else if (quote || character === '"' || character === "'") {
      part += character;
      if (quote === '') quote = character;
      else if (quote === character) quote = '';
    } else if (/[|;\r\n]/.test(character) || command.startsWith('&&', at)) {
      if (character === '&') at++;
      parts.push(part);
      part = '';
    } else part += character;
  }
  const texts = [...parts, part].map((text) => text.trim()).filter((text) => text !== '');
  return texts.map((text) => ({ text, plain: quote === '' && !/[`$(){}<>&@%#[\]]/.test(text) }));
}
