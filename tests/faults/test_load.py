"""Far more is asked than can be answered in time: suggestions are left out first, and who is late gets a sentence, not silence."""

from __future__ import annotations

from pathlib import Path

from answers.answering import Answering
from answers.questions.question import Intent, Question
from commands.texts import Texts
from tests.discord_standin import Interaction
from tests.end_to_end.test_operating import metrics, port_of
from tests.end_to_end.world import Discord, shown, text_of

STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
PEOPLE, EACH = 750, 4
"""All of it at once: many times what the bot answers in the time that it is given."""
WITHIN_S = 0.9
"""What the bot takes for the deadline, so that little has to be asked; the stand-in waits for as long as it takes."""


async def test_a_rush_sheds_suggestions_first_and_says_a_sentence_to_the_late(
    tmp_path: Path, answering: Answering, texts: Texts
) -> None:
    async with Discord(ack_deadline=300) as discord_:
        guild = discord_.add_guild("Local LLMs")
        people = [discord_.add_user(f"u{number}", guilds=[guild]) for number in range(PEOPLE)]
        bot = await discord_.run(tmp_path, health_port="0", answer_within=str(WITHIN_S))
        asked: list[Interaction] = []
        typed: list[Interaction] = []
        for number in range(PEOPLE * EACH):
            user = people[number % PEOPLE]
            if number % 3:
                typed.append(await discord_.start_autocomplete(None, user, "can-run", "model", "star"))
            else:
                asked.append(await discord_.slash(None, user, "can-run", wait=False, **OPTIONS))
        for interaction in asked:
            await interaction.answered(120)
        await discord_.settle(60)
        whole = shown(answering.answer(ON_12_GB, "en").message)
        sentence = texts.say("refused.busy", "en")
        late = [interaction for interaction in asked if not (interaction.message or {})["embeds"]]
        # Nobody met silence: an answer, or the sentence.
        assert all(interaction.content == sentence and interaction.ephemeral for interaction in late)
        assert all(text_of(interaction.embed) == whole for interaction in asked if interaction not in late)
        left_out = [interaction for interaction in typed if interaction.choices is None]
        assert 0 < len(late) < len(asked)
        assert 0 < len(left_out) < len(typed)
        # Suggestions went first, and more of them.
        assert min(int(one.id) for one in left_out) < min(int(one.id) for one in late)
        assert len(left_out) / len(typed) > len(late) / len(asked)
        found = await metrics(port_of(bot))
        assert found["rigcheck_shed_total", ("autocomplete",)] == len(left_out)
        assert found["rigcheck_shed_total", ("question",)] == len(late)
        # Once it is over, all is as before.
        calm = await discord_.slash(guild, discord_.add_user("later"), "can-run", **OPTIONS)
        assert text_of(calm.embed) == whole
        discord_.check()
