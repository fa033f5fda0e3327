"""Which language models run on which hardware: questions in, answers out, with no Discord in it.

    answering = await Answering.open()
    for answer in answering.ask("can I run StarCoder 2 15B on 12 GB?"):
        print(answer.message.text())
"""
